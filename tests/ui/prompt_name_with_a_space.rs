use mcp_server::prelude::*;

#[prompt(name = "say hello")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
