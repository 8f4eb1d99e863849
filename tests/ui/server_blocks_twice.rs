use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn f(&self) {}
}

#[server]
impl Shop {
    #[tool]
    async fn g(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
