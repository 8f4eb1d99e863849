use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    fn helper(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
