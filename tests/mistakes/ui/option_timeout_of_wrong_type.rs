// The time is a number of seconds or a `Duration`. Write `timeout = 5`.

use mcp_server::prelude::*;

/// Do something.
#[tool(timeout = "5s")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
