// A method without an attribute is a helper, which no client can call. Mark it, or remove it.

#![deny(dead_code)]

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}

    fn helper(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
