// What `Json` holds is written as JSON, and described to the client. Derive `serde::Serialize` and
// `schemars::JsonSchema` for it.

use mcp_server::prelude::*;

struct Shop;

struct Forecast {
    celsius: f64,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> Json<Forecast> {
        Json(Forecast { celsius: 3.0 })
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
