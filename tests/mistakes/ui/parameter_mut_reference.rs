// The arguments come from the client and are given away. Take the value itself, with `mut` before its name if it
// changes.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(text: &mut String) {
    text.clear();
}

fn main() {
    let _ = Server::new("test").tool(f);
}
