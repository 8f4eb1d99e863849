use mcp_server::prelude::*;

#[prompt]
async fn f(#[prompt(raw)] name: String) -> String {
    name
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
