// A tool does something, and a constant is something. Write a function that returns it.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    const LIMIT: u32 = 3;

    /// Do something.
    #[tool]
    async fn f(&self) -> u32 {
        Self::LIMIT
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
