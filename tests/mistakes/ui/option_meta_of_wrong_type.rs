// What is sent as `_meta` is an object with names that begin with a domain. Write it with `json!`.

use mcp_server::prelude::*;

/// Do something.
#[tool(meta = "shelf")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
