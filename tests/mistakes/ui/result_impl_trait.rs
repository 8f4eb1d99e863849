// The client is told what the tool returns, and `impl Trait` does not say it. Name the type.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> impl std::fmt::Display {
    3
}

fn main() {
    let _ = Server::new("test").tool(f);
}
