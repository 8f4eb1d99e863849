// Clients can't promise anything. Write a function that is safe to call, with what is unsafe in a block inside, after
// the checks that it needs.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async unsafe fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
