use mcp_server::prelude::*;

#[server]
struct Shop;

impl Shop {
    fn f(&self) {}
}

fn main() {
    let _ = Server::new("test");
}
