// An option stands once. Remove one of the two.

use mcp_server::prelude::*;

/// Do something.
#[tool(title = "One", title = "Two")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
