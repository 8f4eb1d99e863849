use mcp_server::prelude::*;

#[tool("get_forecast")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
