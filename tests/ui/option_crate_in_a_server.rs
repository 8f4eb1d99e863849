use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool(crate = mcp_server)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
