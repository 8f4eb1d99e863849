use mcp_server::prelude::*;

struct Shop;

impl Shop {
    #[tool]
    async fn f(&self) -> usize {
        self.helper()
    }

    fn helper(&self) -> usize {
        1
    }
}

fn main() {
    let _ = Server::new("test");
}
