use mcp_server::prelude::*;

#[tool(timeout = -1)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
