use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[cfg_attr(all(), tool)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
