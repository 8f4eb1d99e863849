// A flattened parameter is as many arguments as it has fields. Each of them may have limits of its own.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    skip: u32,
}

/// List.
#[tool]
async fn f(#[tool(flatten, minimum = 1)] page: Page) -> u32 {
    page.skip
}

fn main() {
    let _ = Server::new("test").tool(f);
}
