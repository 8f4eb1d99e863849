use mcp_server::prelude::*;

const LIMIT: u64 = 5;

#[tool(timeout = LIMIT)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
