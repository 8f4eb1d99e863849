use mcp_server::prelude::*;

struct Point {
    x: f64,
}

#[tool]
fn f(point: Point) -> f64 {
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
