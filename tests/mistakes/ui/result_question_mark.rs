// `?` leaves the function with an error, so that the function has to return a `Result`. Write `Result<String,
// ToolError>`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> String {
    std::fs::read_to_string("x")?
}

fn main() {
    let _ = Server::new("test").tool(f);
}
