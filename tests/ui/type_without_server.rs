use mcp_server::prelude::*;

struct Shop;

impl Shop {
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
