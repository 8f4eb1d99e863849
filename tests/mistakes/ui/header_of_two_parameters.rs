// Capitals make no difference in the name of a header, so that both would be the same. Give each its own.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(header = "Id")] id: u32, #[tool(header = "ID")] other: u32) -> u32 {
    id + other
}

fn main() {
    let _ = Server::new("test").tool(f);
}
