// A call can't end before it begins. Write the seconds that it may take.

use mcp_server::prelude::*;

/// Do something.
#[tool(timeout = -1)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
