// A header repeats what the client sends as an argument, and the context is no argument. Remove the option.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(header = "Call")] ctx: Context) -> bool {
    ctx.is_cancelled()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
