// The value could be meant as JSON or as words. Return `Json(…)` around it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> serde_json::Value {
    json!({})
}

fn main() {
    let _ = Server::new("test").tool(f);
}
