// A struct could be meant as JSON or as words. Return `Json(…)` around it, and derive `serde::Serialize` and
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
    async fn f(&self) -> Forecast {
        Forecast { celsius: 3.0 }
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
