// The option needs a value. Write `name = "…"`.

use mcp_server::prelude::*;

/// Do something.
#[tool(name)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
