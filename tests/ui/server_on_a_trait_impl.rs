use mcp_server::prelude::*;

struct Shop;

trait Tools {
    fn f(&self);
}

#[server]
impl Tools for Shop {
    #[tool]
    fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
