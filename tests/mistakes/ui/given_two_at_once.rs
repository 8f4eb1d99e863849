// Tools are given one by one. Write `.tool(f).tool(g)`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f, f);
}
