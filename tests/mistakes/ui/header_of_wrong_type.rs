// The name of the header is read while the program is compiled. Write it as a string literal.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(header)] region: String) -> String {
    region
}

fn main() {
    let _ = Server::new("test").tool(f);
}
