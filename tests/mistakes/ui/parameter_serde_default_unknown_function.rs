// serde's `default` names a function in scope that makes the value. Write that function, or `#[tool(default = 10)]`
// for the value itself.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[serde(default = "ten")] n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
