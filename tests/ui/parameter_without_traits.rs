use mcp_server::prelude::*;

struct Point {
    x: f64,
}

#[tool]
async fn f(label: String, point: Point) -> f64 {
    let _ = label;
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
