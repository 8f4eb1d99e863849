// An option stands once. Remove one of the two.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(header = "Region", header = "Place")] region: String) -> String {
    region
}

fn main() {
    let _ = Server::new("test").tool(f);
}
