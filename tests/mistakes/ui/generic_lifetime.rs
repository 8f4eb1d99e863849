// The arguments come from the client and are there for this call alone, so that nothing can be lent to the tool. Take
// what owns its data, and the lifetime goes with it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f<'a>(text: &'a str) -> &'a str {
    text
}

fn main() {
    let _ = Server::new("test").tool(f);
}
