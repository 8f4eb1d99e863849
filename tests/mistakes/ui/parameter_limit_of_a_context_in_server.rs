// What comes from the call is sent by no client, so there is nothing to limit. Limit an argument.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Wait.
    #[tool]
    async fn f(&self, #[tool(minimum = 1)] ctx: Context) {
        drop(ctx);
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
