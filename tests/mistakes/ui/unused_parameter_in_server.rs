// The client is told of the argument and sends it, so that it should be used. Begin its name with `_` if it is there
// for another reason; clients would see that name.

#![deny(unused_variables)]

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, n: u32) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
