// The option says where the library is found in your crate. Write a path.

use mcp_server::prelude::*;

/// Do something.
#[tool(crate = 5)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
