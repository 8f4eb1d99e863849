// Clients call a tool by its name. Give one of the two another by `name = "…"`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(name = "refund")]
    async fn refund_order(&self) {}

    /// Do something.
    #[tool]
    async fn refund(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
