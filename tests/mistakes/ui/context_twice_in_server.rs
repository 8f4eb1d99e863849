// There is one context a call, and both would be the same. Take it once; a clone of it goes where else it is needed.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Wait.
    #[tool]
    async fn f(&self, ctx: Context, same: Context) {
        drop((ctx, same));
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
