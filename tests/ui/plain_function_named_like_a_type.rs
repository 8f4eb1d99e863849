use mcp_server::prelude::*;

#[tool]
fn str(text: String) -> String {
    text
}

fn main() {
    let _ = Server::new("test").tool(str {});
}
