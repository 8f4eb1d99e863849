use mcp_server::prelude::*;

#[prompt]
fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
