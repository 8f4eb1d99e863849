// The limits are those of JSON Schema, in Rust's spelling.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Greet.
    #[tool]
    async fn f(&self, #[tool(maxLen = 10)] name: String) -> String {
        name
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
