// The result of a function stands after `->`. Write that instead of the colon.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32): u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
