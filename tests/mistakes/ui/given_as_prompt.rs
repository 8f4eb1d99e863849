// The function is a tool. Give it by `.tool(…)`, or mark it `#[prompt]`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
