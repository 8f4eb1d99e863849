use mcp_server::prelude::*;

#[derive(Default)]
struct Point {
    x: f64,
}

#[tool]
async fn f(#[tool(default)] point: Point) -> f64 {
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
