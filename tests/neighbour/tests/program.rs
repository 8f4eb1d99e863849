//! The neighbour's program, called by a client.

#![deny(missing_docs, warnings, clippy::all, clippy::pedantic)]

use facade::mcp::prelude::*;
use tokio::process::Command;

#[tokio::test]
async fn the_program_answers() {
    let client = Client::spawn(Command::new(env!("CARGO_BIN_EXE_neighbour"))).await.unwrap();
    assert_eq!(client.call_tool("greet", json!({ "name": "Ada" })).await.unwrap().text(), "Hello, Ada!");
    assert_eq!(client.call_tool("length", json!({ "name": "Ada" })).await.unwrap().text(), "3");
    assert!(client.close().await.is_some_and(|status| status.success()));
}
