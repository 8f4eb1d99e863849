// The limits are those of JSON Schema, each an option of its own.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(min = 1)] n: u32) {
    let _ = n;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
