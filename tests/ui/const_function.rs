use mcp_server::prelude::*;

#[tool]
const fn f() -> u32 {
    1
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
