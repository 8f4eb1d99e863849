// A client is told the name of each argument, and a pattern has none. Name the parameter, and take it apart in the
// body.

use mcp_server::prelude::*;

struct Shop;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Point {
    x: f64,
    y: f64,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    fn f(&self, Point { x, y }: Point) -> f64 {
        x * y
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
