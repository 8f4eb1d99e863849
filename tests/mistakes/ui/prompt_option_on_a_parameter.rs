// The option belongs to another attribute. The error lists those of an argument of a prompt.

use mcp_server::prelude::*;

#[prompt]
async fn f(#[prompt(raw)] name: String) -> String {
    name
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
