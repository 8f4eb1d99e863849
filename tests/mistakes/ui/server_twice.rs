// A block is read once. Remove one of the two attributes.

use mcp_server::prelude::*;

struct Shop;

#[server]
#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
