// A parameter has one default. Remove one of the two attributes.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(
    #[tool(default = 3)]
    #[serde(default)]
    n: u32,
) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
