use mcp_server::prelude::*;

#[tool]
extern "C" fn f() {}

fn main() {
    let _ = Server::new("test").tool(f {});
}
