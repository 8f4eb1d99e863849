// The default has the type of its parameter, and this type has no negative values. Take an `i32`, or another default.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(default = -1)] n: u32) {
    let _ = n;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
