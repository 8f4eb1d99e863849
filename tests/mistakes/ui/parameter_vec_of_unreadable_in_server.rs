// A list can be read if its elements can. Derive `serde::Deserialize` and `schemars::JsonSchema` for the element.

use mcp_server::prelude::*;

struct Shop;

struct Point {
    x: f64,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, points: Vec<Point>) -> f64 {
        points[0].x
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
