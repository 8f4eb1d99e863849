// A tuple says nothing about its parts. Return `Json(…)` around a struct whose fields have names.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> (u32, String) {
    (3, String::new())
}

fn main() {
    let _ = Server::new("test").tool(f);
}
