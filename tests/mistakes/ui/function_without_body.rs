// What the attribute makes a tool has to do something. Write the body after it, in braces.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f();

fn main() {
    let _ = Server::new("test").tool(f);
}
