// The messages of a prompt are words or content. Return a `String`.

use mcp_server::prelude::*;

#[prompt]
async fn f() -> u32 {
    3
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
