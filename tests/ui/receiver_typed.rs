use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn f(self: std::sync::Arc<Self>) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
