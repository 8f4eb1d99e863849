// A number by itself is taken for seconds only where it is written down. Let the constant be a `Duration`.

use mcp_server::prelude::*;

const LIMIT: u64 = 5;

/// Do something.
#[tool(timeout = LIMIT)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
