use mcp_server::prelude::*;

#[tool(description = 2 + 3)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
