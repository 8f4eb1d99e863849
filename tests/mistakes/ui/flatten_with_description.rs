// A flattened parameter is as many arguments as it has fields. Each of them is described by its own comment.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    skip: u32,
}

/// List.
#[tool]
async fn f(
    /// Which page.
    #[tool(flatten)]
    page: Page,
) -> u32 {
    page.skip
}

fn main() {
    let _ = Server::new("test").tool(f);
}
