use mcp_server::prelude::*;

#[tool]
async fn f((x, y): (f64, f64)) -> f64 {
    x * y
}

fn main() {
    let _ = Server::new("test").tool(f);
}
