// A text by itself could be the name, the title or the description. Say which, in parentheses: `#[tool(name = "…")]`.

use mcp_server::prelude::*;

/// Do something.
#[tool["x"]]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
