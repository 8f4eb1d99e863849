use mcp_server::prelude::*;

async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
