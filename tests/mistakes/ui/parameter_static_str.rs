// A text that the client sends does not live for ever. Take a `String`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(text: &'static str) -> usize {
    text.len()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
