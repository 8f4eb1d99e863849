// The arguments are given away and the result too, so that a lifetime has nothing to do. Remove it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f<'a>(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
