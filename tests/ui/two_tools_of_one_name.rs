use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool(name = "refund")]
    async fn refund_order(&self) {}

    #[tool]
    async fn refund(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
