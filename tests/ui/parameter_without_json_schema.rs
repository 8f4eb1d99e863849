use mcp_server::prelude::*;

#[derive(serde::Deserialize)]
struct Point {
    x: f64,
}

#[tool]
async fn f(point: Point) -> f64 {
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
