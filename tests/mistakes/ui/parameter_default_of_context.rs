// The context comes with each call, so that it is never left out. Remove the option.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(default)] ctx: Context) {
    let _ = ctx;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
