use mcp_server::prelude::*;

#[tool(timeout = 0)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
