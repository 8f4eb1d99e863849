// The names of the parts stand in brackets, also if there is one.

use mcp_server::prelude::*;

struct Shop;

#[server(parts = stock)]
impl Shop {
    /// Buy.
    #[tool]
    async fn buy(&self) {}
}

fn main() {
    let _ = Shop;
}
