// The name of an option is a single word. Write it without what stands before `::`.

use mcp_server::prelude::*;

/// Do something.
#[tool(mcp::name = "x")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
