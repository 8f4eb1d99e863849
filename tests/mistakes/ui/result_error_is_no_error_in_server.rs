// The client is told what went wrong, and this type does not say it. Return a `ToolError`, or implement
// `std::error::Error`, for which `thiserror` has a derive.

use mcp_server::prelude::*;

struct Shop;

enum Failure {
    Closed,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> Result<String, Failure> {
        Err(Failure::Closed)
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
