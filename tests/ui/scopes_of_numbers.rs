use mcp_server::prelude::*;

#[tool(scopes = ["orders:write", 7])]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
