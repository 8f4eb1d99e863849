// The value of an option stands after `=`. Write `name = "…"`.

use mcp_server::prelude::*;

/// Do something.
#[tool(name("get_forecast"))]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
