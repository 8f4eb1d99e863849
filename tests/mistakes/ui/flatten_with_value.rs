// The option has no value: it stands alone.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    skip: u32,
}

/// List.
#[tool]
async fn f(#[tool(flatten = true)] page: Page) -> u32 {
    page.skip
}

fn main() {
    let _ = Server::new("test").tool(f);
}
