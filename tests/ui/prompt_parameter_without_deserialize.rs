use mcp_server::prelude::*;

struct Name(String);

#[prompt]
async fn f(name: Name) -> String {
    name.0
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
