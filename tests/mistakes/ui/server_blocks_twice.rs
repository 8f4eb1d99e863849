// A server is made from one block of its type. Name the other one, such as `#[server(part = stock)]`, and list it here:
// `#[server(parts = [stock])]`. The trait in the error is what `#[server]` implements.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn g(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
