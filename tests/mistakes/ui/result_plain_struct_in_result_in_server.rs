// A struct could be meant as JSON or as words, also in a `Result`. Return `Ok(Json(…))`, and derive
// `serde::Serialize` and `schemars::JsonSchema` for it.

use mcp_server::prelude::*;

struct Shop;

struct Forecast {
    celsius: f64,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> Result<Forecast, ToolError> {
        Ok(Forecast { celsius: 3.0 })
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
