use mcp_server::prelude::*;

struct Text<'a>(&'a str);

#[tool]
async fn f(text: Text<'_>) -> usize {
    text.0.len()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
