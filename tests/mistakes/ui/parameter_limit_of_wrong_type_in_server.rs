// A limit of numbers is a number, without quotation marks.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Roll the dice.
    #[tool]
    async fn f(&self, #[tool(minimum = "1")] dice: u32) -> u32 {
        dice
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
