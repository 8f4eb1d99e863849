// The time is a number of seconds, without a unit. Write `timeout = 5`, or `timeout = Duration::from_millis(…)` for
// parts of a second.

use mcp_server::prelude::*;

/// Do something.
#[tool(timeout = 5s)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
