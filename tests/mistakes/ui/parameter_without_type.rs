// Each parameter of a function has its type after a colon. Write it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
