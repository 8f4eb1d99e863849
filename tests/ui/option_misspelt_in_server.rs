use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool(destructiv = true)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
