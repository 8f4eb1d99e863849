// An option that is a yes or a no has its value after `=`. Write `read_only = false`.

use mcp_server::prelude::*;

/// Do something.
#[tool(!read_only)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
