// `parts` lists the names that other blocks of the type have by `part`.

use mcp_server::prelude::*;

struct Shop;

#[server(parts = [stok])]
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
