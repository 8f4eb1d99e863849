// Two functions of one name can't stand in one module. Rename one, and keep its name for clients with `name = "…"`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

/// Do something.
#[tool]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
