// An argument is read from JSON. Derive `serde::Deserialize` for the type.

use mcp_server::prelude::*;

#[derive(schemars::JsonSchema)]
struct Point {
    x: f64,
}

/// Do something.
#[tool]
async fn f(point: Point) -> f64 {
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
