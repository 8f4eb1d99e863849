// A title is a text. Write it in quotation marks.

use mcp_server::prelude::*;

/// Do something.
#[tool(title = 5)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
