use mcp_server::prelude::*;

#[tool(title = 5)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
