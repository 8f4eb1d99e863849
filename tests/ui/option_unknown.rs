use mcp_server::prelude::*;

#[tool(retries = 3)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
