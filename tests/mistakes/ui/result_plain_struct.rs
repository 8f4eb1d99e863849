// A struct could be meant as JSON or as words. Return `Json(…)` around it, and derive `serde::Serialize` and
// `schemars::JsonSchema` for it.

use mcp_server::prelude::*;

struct Forecast {
    celsius: f64,
}

/// Do something.
#[tool]
async fn f() -> Forecast {
    Forecast { celsius: 3.0 }
}

fn main() {
    let _ = Server::new("test").tool(f);
}
