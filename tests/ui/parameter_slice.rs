use mcp_server::prelude::*;

#[tool]
async fn f(numbers: &[f64]) -> f64 {
    numbers.iter().sum()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
