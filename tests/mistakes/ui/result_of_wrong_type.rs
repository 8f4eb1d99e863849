// The body has to give what the signature says, as in any function.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> String {
    3
}

fn main() {
    let _ = Server::new("test").tool(f);
}
