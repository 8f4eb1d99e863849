use mcp_server::prelude::*;

#[tool]
async fn f(text: impl Into<String>) -> String {
    text.into()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
