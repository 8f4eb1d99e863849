// An icon has an address and may have sizes and a theme, which a text can't say. Write an `Icon`, or a function that
// makes one.

use mcp_server::prelude::*;

/// Do something.
#[tool(icon = "icon.png")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
