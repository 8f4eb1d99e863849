use mcp_server::prelude::*;

#[tool]
async fn f() -> String {
    3
}

fn main() {
    let _ = Server::new("test").tool(f);
}
