// A plain `fn` has its prompt in a struct of the same name, so that it can still be called. Write braces after the
// name: `.prompt(f {})`.

use mcp_server::prelude::*;

#[prompt]
fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
