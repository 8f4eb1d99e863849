// The default has the type of its parameter. Write a text for a `String`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(default = 3)] n: String) -> String {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
