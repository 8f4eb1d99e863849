// The protocol allows no spaces in a name. Write `_`, and let `title = "…"` be what people read.

use mcp_server::prelude::*;

/// Do something.
#[tool(name = "get forecast")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
