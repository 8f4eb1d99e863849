// The attribute stands once, with all of its options. Make them one.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    #[tool(read_only)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
