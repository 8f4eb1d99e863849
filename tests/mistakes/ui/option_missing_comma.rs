// Options are separated by commas. Write one between them.

use mcp_server::prelude::*;

/// Do something.
#[tool(name = "f" title = "F")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
