// A length can't be below zero.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Greet.
    #[tool]
    async fn f(&self, #[tool(min_length = -1)] name: String) -> String {
        name
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
