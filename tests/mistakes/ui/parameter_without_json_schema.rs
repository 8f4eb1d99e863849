// A client is told which JSON an argument is. Derive `schemars::JsonSchema` for the type, in version 1 of schemars.

use mcp_server::prelude::*;

#[derive(serde::Deserialize)]
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
