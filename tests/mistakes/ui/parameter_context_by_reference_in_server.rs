// The context of a call is given away, and costs nothing to keep. Take it as `Context`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, ctx: &Context) -> bool {
        ctx.is_cancelled()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
