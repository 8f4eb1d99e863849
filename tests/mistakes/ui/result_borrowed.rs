// The result is sent when the call is over, and its arguments are gone by then. Return what owns its data, or a
// `&'static str`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(text: String) -> &str {
    "text"
}

fn main() {
    let _ = Server::new("test").tool(f);
}
