// Arguments are told apart by their names. Rename one of the two.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32, n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
