// Only the fields of what the client sends can be arguments. A context is taken as it is.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Wait.
    #[tool]
    async fn f(&self, #[tool(flatten)] ctx: Context) {
        drop(ctx);
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
