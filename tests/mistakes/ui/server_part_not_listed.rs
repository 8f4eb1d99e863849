// A block with a name is offered by the block that lists it, and by nothing else. Write `parts = [stock]` there. This is
// a warning, made an error here.

#![deny(dead_code)]

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Buy.
    #[tool]
    async fn buy(&self) {}
}

#[server(part = stock)]
impl Shop {
    /// How many are left.
    #[tool]
    async fn left(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
