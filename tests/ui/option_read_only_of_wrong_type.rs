use mcp_server::prelude::*;

#[tool(read_only = "yes")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
