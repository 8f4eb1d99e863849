use mcp_server::prelude::*;

#[tool(title = "One", title = "Two")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
