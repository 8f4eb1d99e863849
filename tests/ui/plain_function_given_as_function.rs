use mcp_server::prelude::*;

#[tool]
fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
