// No type of this name is in scope. Correct the name, or import it.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, point: Piont) -> f64 {
        point.x
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
