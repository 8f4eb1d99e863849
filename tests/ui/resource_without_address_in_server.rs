use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[resource]
    async fn f(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
