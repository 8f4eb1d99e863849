// A tool that no server is given can't be called. Add it by `.tool(f)`.

#![deny(dead_code)]

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test");
}
