// What `Json` holds is written as JSON, and described to the client. Derive `serde::Serialize` and
// `schemars::JsonSchema` for it.

use mcp_server::prelude::*;

struct Forecast {
    celsius: f64,
}

/// Do something.
#[tool]
async fn f() -> Json<Forecast> {
    Json(Forecast { celsius: 3.0 })
}

fn main() {
    let _ = Server::new("test").tool(f);
}
