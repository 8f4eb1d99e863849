// The limits are those of JSON Schema, each an option of its own.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(regex = "^[A-Z]")] n: String) {
    let _ = n;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
