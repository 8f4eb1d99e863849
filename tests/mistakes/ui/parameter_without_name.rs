// A client is told the name of each argument, and `_` is none. Write a name; it may begin with `_` if the body does
// not use it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(_: i32) {}

fn main() {
    let _ = Server::new("test").tool(f);
}
