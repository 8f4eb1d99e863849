// Each call has a context. Take it as `Context`, without an `Option`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, ctx: Option<Context>) -> bool {
        ctx.is_some()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
