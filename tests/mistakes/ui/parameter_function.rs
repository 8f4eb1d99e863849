// A client can't send a function. Take the value that decides what is done, such as an `enum`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(g: fn(u32) -> u32) -> u32 {
    g(1)
}

fn main() {
    let _ = Server::new("test").tool(f);
}
