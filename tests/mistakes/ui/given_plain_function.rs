// A plain `fn` has its tool in a struct of the same name, so that it can still be called. Write braces after the
// name: `.tool(f {})`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
