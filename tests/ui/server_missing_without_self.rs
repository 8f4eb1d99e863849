use mcp_server::prelude::*;

struct Shop;

impl Shop {
    #[tool]
    async fn f() -> Self {
        Self
    }
}

fn main() {
    let _ = Server::new("test");
}
