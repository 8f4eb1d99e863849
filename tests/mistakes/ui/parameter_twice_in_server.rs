// Arguments are told apart by their names. Rename one of the two.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, n: u32, n: u32) -> u32 {
        n
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
