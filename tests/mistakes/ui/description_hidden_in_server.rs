// Whether the text is there, only the compiler knows, and it is needed before. Write the comment out.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[cfg_attr(all(), doc = "Refund an order.")]
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
