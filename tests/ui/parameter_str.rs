use mcp_server::prelude::*;

#[tool]
async fn f(text: &str) -> usize {
    text.len()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
