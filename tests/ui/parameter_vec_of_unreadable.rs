use mcp_server::prelude::*;

struct Point {
    x: f64,
}

#[tool]
async fn f(points: Vec<Point>) -> f64 {
    points[0].x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
