use mcp_server::prelude::*;

struct Shop;

#[server(name = "shop")]
impl Shop {
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
