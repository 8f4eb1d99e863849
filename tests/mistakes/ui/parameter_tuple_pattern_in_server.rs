// A client is told the name of each argument, and a pattern has none. Name the parameter, or take two parameters.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, (x, y): (f64, f64)) -> f64 {
        x * y
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
