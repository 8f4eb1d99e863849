// The argument is given away, so that `ref` has no use. Write the plain name, and borrow in the body.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(ref n: u32) -> u32 {
    *n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
