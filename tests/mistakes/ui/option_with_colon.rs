// The value of an option stands after `=`, and not after `:`. Write `name = "…"`.

use mcp_server::prelude::*;

/// Do something.
#[tool(name: "x")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
