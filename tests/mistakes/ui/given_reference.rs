// A server outlives the place where it was made, so that it can't be lent. Give the value itself.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(&Shop);
}
