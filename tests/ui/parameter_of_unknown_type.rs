use mcp_server::prelude::*;

#[tool]
async fn f(point: Piont) -> f64 {
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
