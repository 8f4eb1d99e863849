// An argument is read from JSON, and a client is told which JSON it is. Derive `serde::Deserialize` and
// `schemars::JsonSchema` for the type.

use mcp_server::prelude::*;

struct Point {
    x: f64,
}

/// Do something.
#[tool]
async fn f(label: String, point: Point) -> f64 {
    let _ = label;
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
