// Nothing at all is no answer for a model. Return a `String` that says so, a `ToolError`, or `Json(…)` around the
// `Option`.

use mcp_server::prelude::*;

struct Forecast {
    celsius: f64,
}

/// Do something.
#[tool]
async fn f() -> Option<Forecast> {
    None
}

fn main() {
    let _ = Server::new("test").tool(f);
}
