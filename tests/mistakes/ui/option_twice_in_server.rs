// An option stands once. Remove one of the two.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(title = "One", title = "Two")]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
