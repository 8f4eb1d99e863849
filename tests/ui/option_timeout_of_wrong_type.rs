use mcp_server::prelude::*;

#[tool(timeout = "5s")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
