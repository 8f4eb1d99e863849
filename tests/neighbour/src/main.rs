//! A server on standard input and output.

#![deny(missing_docs, warnings, clippy::all, clippy::pedantic)]

use facade::mcp::prelude::*;

/// Greet somebody.
#[tool(crate = facade::mcp)]
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// How long a name is.
#[tool(crate = facade::mcp)]
fn length(name: String) -> usize {
    name.len()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ServeError> {
    Server::new("greeter").tool(greet).tool(length {}).serve_stdio().await
}
