use mcp_server::prelude::*;

#[tool]
async fn f() -> impl std::fmt::Display {
    3
}

fn main() {
    let _ = Server::new("test").tool(f);
}
