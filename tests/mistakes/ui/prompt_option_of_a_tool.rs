// The option belongs to another attribute: a prompt does nothing, so that nothing is to be said about what it
// changes. Remove it.

use mcp_server::prelude::*;

#[prompt(read_only)]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
