// All arguments are JSON, so that they need no mark. Take the type itself.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Point {
    x: f64,
    y: f64,
}

/// Do something.
#[tool]
async fn f(point: Json<Point>) -> f64 {
    point.0.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
