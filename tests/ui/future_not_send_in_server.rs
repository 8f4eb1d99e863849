use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn f(&self) -> u32 {
        let count = std::rc::Rc::new(1);
        tokio::task::yield_now().await;
        *count
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
