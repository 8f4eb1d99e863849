// A struct could be meant as JSON or as words, also in a `Result`. Return `Ok(Json(…))`, and derive
// `serde::Serialize` and `schemars::JsonSchema` for it.

use mcp_server::prelude::*;

struct Forecast {
    celsius: f64,
}

/// Do something.
#[tool]
async fn f() -> Result<Forecast, ToolError> {
    Ok(Forecast { celsius: 3.0 })
}

fn main() {
    let _ = Server::new("test").tool(f);
}
