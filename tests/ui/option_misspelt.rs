use mcp_server::prelude::*;

#[tool(readonly)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
