// A tool may ask for several scopes. Write a list, also for one.

use mcp_server::prelude::*;

/// Do something.
#[tool(scopes = "orders:write")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
