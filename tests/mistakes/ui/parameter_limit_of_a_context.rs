// What comes from the call is sent by no client, so there is nothing to limit. Limit an argument.

use mcp_server::prelude::*;

/// Wait.
#[tool]
async fn f(#[tool(minimum = 1)] ctx: Context) {
    drop(ctx);
}

fn main() {
    let _ = Server::new("test").tool(f);
}
