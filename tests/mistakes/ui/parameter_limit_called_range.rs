// The limits are those of JSON Schema, each an option of its own.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(range(min = 1, max = 10))] n: u32) {
    let _ = n;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
