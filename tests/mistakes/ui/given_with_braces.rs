// Only the tool of a plain `fn` is a struct with braces. An `async fn` is given by its name alone: `.tool(f)`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
