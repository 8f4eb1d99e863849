// A title is a text. Write it in quotation marks.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(title = 5)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
