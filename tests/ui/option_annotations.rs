use mcp_server::prelude::*;

#[tool(annotations(read_only_hint = true))]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
