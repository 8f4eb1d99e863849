// The name of a server is told by `Server::new("…")`. Remove it here.

use mcp_server::prelude::*;

struct Shop;

#[server("shop")]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
