// The fields of a struct are read and described like any other argument, by the two traits.

use mcp_server::prelude::*;

struct Page {
    skip: u32,
}

/// List.
#[tool]
async fn f(#[tool(flatten)] page: Page) -> u32 {
    page.skip
}

fn main() {
    let _ = Server::new("test").tool(f);
}
