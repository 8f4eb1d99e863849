// Methods are tools together with the value that they belong to. Give the value: `.with(Shop)`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").tool(Shop::f);
}
