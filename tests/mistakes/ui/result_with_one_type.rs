// The `Result` of the standard library names its error too. Write `Result<String, ToolError>`, or import a `Result`
// that knows its error.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> Result<String> {
    Ok(String::new())
}

fn main() {
    let _ = Server::new("test").tool(f);
}
