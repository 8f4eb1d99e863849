// The arguments come from the client and are given away, so that there is nothing to borrow from. Take a `String`.

use mcp_server::prelude::*;

#[prompt]
fn f(name: &str) -> String {
    name.to_owned()
}

fn main() {
    let _ = Server::new("test").prompt(f {});
}
