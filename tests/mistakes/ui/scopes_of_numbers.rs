// A scope is a word that the authorization server knows. Write it in quotation marks.

use mcp_server::prelude::*;

/// Do something.
#[tool(scopes = ["orders:write", 7])]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
