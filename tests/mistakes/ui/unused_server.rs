// What a type offers is offered by its values. Make one, and give it to a server by `.with(…)`.

#![deny(dead_code)]

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test");
}
