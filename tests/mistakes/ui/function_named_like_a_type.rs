// A plain `fn` has its tool in a struct of the same name, and this is the name of a type already. Rename the
// function, and keep the name for clients with `name = "…"`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
fn str(text: String) -> String {
    text
}

fn main() {
    let _ = Server::new("test").tool(str {});
}
