use mcp_server::prelude::*;

#[tool]
async fn f(#[tool(default = "three")] n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
