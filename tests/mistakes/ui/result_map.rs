// A map could be meant as JSON or as words. Return `Json(…)` around it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> std::collections::HashMap<String, u32> {
    Default::default()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
