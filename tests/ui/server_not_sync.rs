use mcp_server::prelude::*;

struct Shop {
    sales: std::cell::Cell<u32>,
}

#[server]
impl Shop {
    #[tool]
    async fn f(&self) -> u32 {
        self.sales.get()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop { sales: std::cell::Cell::new(1) });
}
