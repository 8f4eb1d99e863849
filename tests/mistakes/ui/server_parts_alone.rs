// A block that is a part is offered by the one that lists it, and there is none. Remove `part`, or write another block
// with `parts = [stock]`.

use mcp_server::prelude::*;

struct Shop;

#[server(part = stock)]
impl Shop {
    /// Buy.
    #[tool]
    async fn buy(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
