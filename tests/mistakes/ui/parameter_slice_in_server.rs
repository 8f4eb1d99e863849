// The arguments come from the client and are given away, so that there is nothing to borrow from. Take a `Vec`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, numbers: &[f64]) -> f64 {
        numbers.iter().sum()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
