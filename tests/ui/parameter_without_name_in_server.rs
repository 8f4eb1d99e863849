use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn f(&self, _: i32) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
