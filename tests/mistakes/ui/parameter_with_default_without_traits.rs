// A default does not change that clients may send the argument. Derive `serde::Deserialize` and
// `schemars::JsonSchema` for its type.

use mcp_server::prelude::*;

#[derive(Default)]
struct Point {
    x: f64,
}

/// Do something.
#[tool]
async fn f(#[tool(default)] point: Point) -> f64 {
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
