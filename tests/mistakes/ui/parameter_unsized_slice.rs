// A slice has no size that is known, so that it can't be given away. Take a `Vec`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: [u8]) {
    let _ = n;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
