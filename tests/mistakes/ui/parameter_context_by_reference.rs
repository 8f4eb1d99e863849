// The context of a call is given away, and costs nothing to keep. Take it as `Context`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(ctx: &Context) -> bool {
    ctx.is_cancelled()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
