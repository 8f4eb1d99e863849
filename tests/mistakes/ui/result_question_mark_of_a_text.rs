// `?` turns what is a `std::error::Error` into a `ToolError`, and a text is none. Write `ToolError::new("…")`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> Result<String, ToolError> {
    Err("x")?
}

fn main() {
    let _ = Server::new("test").tool(f);
}
