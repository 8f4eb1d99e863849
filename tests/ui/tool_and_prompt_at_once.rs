use mcp_server::prelude::*;

#[tool]
#[prompt]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
