// On a parameter it is the attribute of the tool that makes the fields of a struct arguments.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    skip: u32,
}

/// List.
#[tool]
async fn f(#[serde(flatten)] page: Page) -> u32 {
    page.skip
}

fn main() {
    let _ = Server::new("test").tool(f);
}
