// A variable stands in braces. Close them.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[resource("shop://orders/{id")]
    async fn f(&self, id: u32) -> String {
        id.to_string()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
