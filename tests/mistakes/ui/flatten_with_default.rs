// A flattened parameter is as many arguments as it has fields. Each of them may have a default of its own.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, Default)]
struct Page {
    skip: u32,
}

/// List.
#[tool]
async fn f(#[tool(flatten, default)] page: Page) -> u32 {
    page.skip
}

fn main() {
    let _ = Server::new("test").tool(f);
}
