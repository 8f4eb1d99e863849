// What calls share is used by several threads at once. Put it in a `Mutex`, or take an atomic.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").state(std::cell::Cell::new(1)).tool(f);
}
