use mcp_server::prelude::*;

#[prompt(read_only)]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
