// Each parameter of a function has its type after a colon. Write it.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, n) -> u32 {
        n
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
