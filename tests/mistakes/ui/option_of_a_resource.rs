// The option belongs to another attribute. What a tool returns says by itself of which kind it is; the options of a
// tool are listed in the error.

use mcp_server::prelude::*;

/// Do something.
#[tool(mime_type = "text/plain")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
