// The name of a header has no spaces. Write hyphens.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(header = "My Region")] region: String) -> String {
    region
}

fn main() {
    let _ = Server::new("test").tool(f);
}
