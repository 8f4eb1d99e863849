// An argument is read from JSON, and a client is told which JSON it is. Derive `serde::Deserialize` and
// `schemars::JsonSchema` for the type.

use mcp_server::prelude::*;

struct Shop;

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
