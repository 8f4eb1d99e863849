use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn f<T: ToString>(&self, value: T) -> String {
        value.to_string()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
