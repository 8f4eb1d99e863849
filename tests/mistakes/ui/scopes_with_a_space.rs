// A space separates two scopes in a token. Write two texts.

use mcp_server::prelude::*;

/// Do something.
#[tool(scopes = ["orders:read orders:write"])]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
