// The option has no value: it stands alone.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    skip: u32,
}

struct Shop;

#[server]
impl Shop {
    /// List.
    #[tool]
    async fn f(&self, #[tool(flatten = true)] page: Page) -> u32 {
        page.skip
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
