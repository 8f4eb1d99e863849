use mcp_server::prelude::*;

#[prompt]
fn f(name: &str) -> String {
    name.to_owned()
}

fn main() {
    let _ = Server::new("test").prompt(f {});
}
