// The option is a yes or a no. Write it alone for yes, or `= false` for no.

use mcp_server::prelude::*;

/// Do something.
#[tool(read_only = "yes")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
