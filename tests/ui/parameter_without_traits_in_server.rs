use mcp_server::prelude::*;

struct Shop;

struct Point {
    x: f64,
}

#[server]
impl Shop {
    #[tool]
    async fn f(&self, point: Point) -> f64 {
        point.x
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
