// The client is told what went wrong, and this type does not say it. Return a `ToolError`, or implement
// `std::error::Error`, for which `thiserror` has a derive.

use mcp_server::prelude::*;

enum Failure {
    Closed,
}

/// Do something.
#[tool]
async fn f() -> Result<String, Failure> {
    Err(Failure::Closed)
}

fn main() {
    let _ = Server::new("test").tool(f);
}
