use mcp_server::prelude::*;

#[tool(name = "get forecast")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
