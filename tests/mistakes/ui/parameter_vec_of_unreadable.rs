// A list can be read if its elements can. Derive `serde::Deserialize` and `schemars::JsonSchema` for the element.

use mcp_server::prelude::*;

struct Point {
    x: f64,
}

/// Do something.
#[tool]
async fn f(points: Vec<Point>) -> f64 {
    points[0].x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
