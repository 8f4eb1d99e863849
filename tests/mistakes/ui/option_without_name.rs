// A text by itself could be the name, the title or the description. Say which: `name = "…"`.

use mcp_server::prelude::*;

/// Do something.
#[tool("get_forecast")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
