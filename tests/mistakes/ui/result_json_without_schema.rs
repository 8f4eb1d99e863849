// What `Json` holds is described to the client. Derive `schemars::JsonSchema` for it too.

use mcp_server::prelude::*;

#[derive(serde::Serialize)]
struct Forecast {
    celsius: f64,
}

/// Do something.
#[tool]
async fn f() -> Json<Forecast> {
    Json(Forecast { celsius: 21.5 })
}

fn main() {
    let _ = Server::new("test").tool(f);
}
