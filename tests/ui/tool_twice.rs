use mcp_server::prelude::*;

#[tool]
#[tool(read_only)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
