use mcp_server::prelude::*;

#[tool(default = 3)]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
