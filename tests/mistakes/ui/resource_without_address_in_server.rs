// Clients read a resource by its address. Write it in parentheses.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[resource]
    async fn f(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
