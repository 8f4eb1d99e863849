use mcp_server::prelude::*;

#[tool(name = "f" title = "F")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
