use mcp_server::prelude::*;

struct Shop {
    sales: std::rc::Rc<u32>,
}

#[server]
impl Shop {
    #[tool]
    async fn f(&self) -> u32 {
        *self.sales
    }
}

fn main() {
    let _ = Server::new("test").with(Shop { sales: std::rc::Rc::new(1) });
}
