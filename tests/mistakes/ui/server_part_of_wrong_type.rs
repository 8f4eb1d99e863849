// A block is named by a word, without quotation marks: it becomes a method.

use mcp_server::prelude::*;

struct Shop;

#[server(part = "stock")]
impl Shop {
    /// Buy.
    #[tool]
    async fn buy(&self) {}
}

fn main() {
    let _ = Shop;
}
