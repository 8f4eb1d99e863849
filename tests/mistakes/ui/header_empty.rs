// The header is called `Mcp-Param-…`, and this is its ending. Write one.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(header = "")] region: String) -> String {
    region
}

fn main() {
    let _ = Server::new("test").tool(f);
}
