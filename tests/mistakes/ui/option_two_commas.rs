// There is an option missing between the commas, or a comma too many. Remove one.

use mcp_server::prelude::*;

/// Do something.
#[tool(name = "x",, title = "y")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
