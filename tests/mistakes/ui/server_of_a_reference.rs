// A server is kept as long as it is served, so that it can't be lent. Write the block for the type itself.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl &Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
