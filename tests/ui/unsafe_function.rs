use mcp_server::prelude::*;

#[tool]
async unsafe fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
