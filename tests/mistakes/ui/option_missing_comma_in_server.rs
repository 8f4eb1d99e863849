// Options are separated by commas. Write one between them.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(name = "f" title = "F")]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
