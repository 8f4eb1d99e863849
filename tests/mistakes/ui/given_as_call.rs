// The server calls the function, each time that a client asks for it. Give it the function: `.tool(f)`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f(3));
}
