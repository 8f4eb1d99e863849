use mcp_server::prelude::*;

#[tool(meta = "shelf")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
