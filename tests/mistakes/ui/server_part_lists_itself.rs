// A block offers what is in it by itself. `parts` lists the names of other blocks.

use mcp_server::prelude::*;

struct Shop;

#[server(part = stock, parts = [stock])]
impl Shop {
    /// Buy.
    #[tool]
    async fn buy(&self) {}
}

fn main() {
    let _ = Shop;
}
