// A client is told the type of each argument, and `impl Trait` is none. Name the type, such as `String`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(text: impl Into<String>) -> String {
    text.into()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
