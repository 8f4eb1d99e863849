// A client is told the name of each argument, and a pattern has none. Name the parameter, and take it apart in the
// body.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Point {
    x: f64,
    y: f64,
}

/// Do something.
#[tool]
fn f(Point { x, y }: Point) -> f64 {
    x * y
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
