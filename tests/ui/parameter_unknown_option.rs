use mcp_server::prelude::*;

#[tool]
async fn f(#[tool(defualt = 3)] n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
