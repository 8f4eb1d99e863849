// The default has the type of its parameter. Write a number for a number.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(default = "three")] n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
