// The limits are those of JSON Schema, in Rust's spelling.

use mcp_server::prelude::*;

/// Greet.
#[tool]
async fn f(#[tool(maxLen = 10)] name: String) -> String {
    name
}

fn main() {
    let _ = Server::new("test").tool(f);
}
