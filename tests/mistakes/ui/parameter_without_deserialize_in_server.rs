// An argument is read from JSON. Derive `serde::Deserialize` for the type.

use mcp_server::prelude::*;

struct Shop;

#[derive(schemars::JsonSchema)]
struct Point {
    x: f64,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, point: Point) -> f64 {
        point.x
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
