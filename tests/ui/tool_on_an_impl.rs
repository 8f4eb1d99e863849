use mcp_server::prelude::*;

struct Shop;

#[tool]
impl Shop {
    fn f(&self) {}
}

fn main() {
    let _ = Server::new("test");
}
