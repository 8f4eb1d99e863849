// `.with(…)` takes a value whose type has a `#[server]` block. A function is given by `.tool(…)`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").with(f);
}
