// Only the fields of what the client sends can be arguments. A context is taken as it is.

use mcp_server::prelude::*;

/// Wait.
#[tool]
async fn f(#[tool(flatten)] ctx: Context) {
    drop(ctx);
}

fn main() {
    let _ = Server::new("test").tool(f);
}
