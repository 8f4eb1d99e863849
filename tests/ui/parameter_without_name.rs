use mcp_server::prelude::*;

#[tool]
async fn f(_: i32) {}

fn main() {
    let _ = Server::new("test").tool(f);
}
