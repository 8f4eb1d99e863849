use mcp_server::prelude::*;

#[prompt(titel = "Hello")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
