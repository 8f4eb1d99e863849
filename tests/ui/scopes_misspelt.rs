use mcp_server::prelude::*;

#[tool(scope = ["orders:write"])]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
