use mcp_server::prelude::*;

#[tool]
unsafe extern "C" fn f(n: u32, args: ...) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
