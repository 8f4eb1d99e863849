// A length can't be below zero.

use mcp_server::prelude::*;

/// Greet.
#[tool]
async fn f(#[tool(min_length = -1)] name: String) -> String {
    name
}

fn main() {
    let _ = Server::new("test").tool(f);
}
