// A client is told the type of each argument, and a generic function has none yet. Name the types; the work itself
// may be in a generic function that the tool calls.

use mcp_server::prelude::*;

/// Do something.
#[tool]
fn f<T: ToString>(value: T) -> String {
    value.to_string()
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
