// A `Box<dyn Error>` is no `std::error::Error` itself. Return a `ToolError`, into which `?` turns what is one.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> Result<String, Box<dyn std::error::Error>> {
    Ok(String::new())
}

fn main() {
    let _ = Server::new("test").tool(f);
}
