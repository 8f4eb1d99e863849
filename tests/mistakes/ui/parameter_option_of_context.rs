// Each call has a context. Take it as `Context`, without an `Option`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(ctx: Option<Context>) -> bool {
    ctx.is_some()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
