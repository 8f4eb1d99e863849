// Options are separated by commas. Write one instead of the semicolon.

use mcp_server::prelude::*;

/// Do something.
#[tool(name = "x"; title = "y")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
