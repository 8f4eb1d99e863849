use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn f(name: String) -> String {
        name
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
