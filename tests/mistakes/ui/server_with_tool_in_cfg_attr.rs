// The attribute reads the block before the condition is decided. Write `#[cfg(…)]` above the method, and its
// attribute as usual.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[cfg_attr(all(), tool)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
