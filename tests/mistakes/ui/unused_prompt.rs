// A prompt that no server is given can't be chosen. Add it by `.prompt(f)`.

#![deny(dead_code)]

use mcp_server::prelude::*;

#[prompt]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test");
}
