// The default has the type of its parameter. Write a number for a number.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, #[tool(default = "three")] n: u32) -> u32 {
        n
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
