use mcp_server::prelude::*;

#[tool(scopes = "orders:write")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
