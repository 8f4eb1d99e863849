// A `Cow` with a lifetime borrows, and there is nothing to borrow from. Take a `String`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(text: std::borrow::Cow<'_, str>) -> usize {
    text.len()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
