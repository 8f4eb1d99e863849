use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Point {
    x: f64,
    y: f64,
}

#[tool]
fn f(Point { x, y }: Point) -> f64 {
    x * y
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
