// The value is missing after `=`. Write it, or remove the option.

use mcp_server::prelude::*;

/// Do something.
#[tool(name = )]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
