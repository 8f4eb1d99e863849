use mcp_server::prelude::*;

#[tool(scopes = ["orders:read orders:write"])]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
