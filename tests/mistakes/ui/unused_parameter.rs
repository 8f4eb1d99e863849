// The client is told of the argument and sends it, so that it should be used. Begin its name with `_` if it is there
// for another reason; clients would see that name.

#![deny(unused_variables)]

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) {}

fn main() {
    let _ = Server::new("test").tool(f);
}
