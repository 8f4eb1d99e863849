use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[resource("shop://catalog")]
    async fn catalog(&self) -> String {
        String::new()
    }

    #[resource("shop://catalog")]
    async fn goods(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
