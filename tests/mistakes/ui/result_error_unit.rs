// An error that says nothing helps no model to do better. Return a `ToolError` with the reason.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> Result<String, ()> {
    Err(())
}

fn main() {
    let _ = Server::new("test").tool(f);
}
