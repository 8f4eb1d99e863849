// A list of no scopes asks for none, which is the same as no list. Remove the option, or name the scopes that a
// caller needs.

use mcp_server::prelude::*;

/// Do something.
#[tool(scopes = [])]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
