// A tool is found by its function and not by its name. Give the function itself: `.tool(f)`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool("f");
}
