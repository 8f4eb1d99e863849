// The arguments come from the client and are given away, so that there is nothing to borrow from. Take a `String`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(text: &str) -> usize {
    text.len()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
