// A `String` is no `std::error::Error`. Return a `ToolError`, which is made from any text: `ToolError::new("…")`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> Result<String, String> {
    Err(String::new())
}

fn main() {
    let _ = Server::new("test").tool(f);
}
