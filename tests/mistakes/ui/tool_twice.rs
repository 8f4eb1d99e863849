// The attribute stands once, with all of its options. Make them one.

use mcp_server::prelude::*;

/// Do something.
#[tool]
#[tool(read_only)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
