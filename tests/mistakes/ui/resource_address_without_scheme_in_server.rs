// Clients read a resource by its URI, which begins with a scheme. Take one of your own, such as `shop://`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[resource("/catalog")]
    async fn f(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
