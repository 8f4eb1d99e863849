// A `str` has no size that is known, so that it can't be given away. Take a `String`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: str) {
    let _ = n;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
