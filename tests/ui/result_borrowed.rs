use mcp_server::prelude::*;

#[tool]
async fn f(text: String) -> &str {
    "text"
}

fn main() {
    let _ = Server::new("test").tool(f);
}
