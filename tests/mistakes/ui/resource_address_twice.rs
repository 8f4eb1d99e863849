// Clients read a resource by its address. Give one of the two another, or make them one.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[resource("shop://catalog")]
    async fn catalog(&self) -> String {
        String::new()
    }

    #[resource("shop://catalog")]
    async fn goods(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
