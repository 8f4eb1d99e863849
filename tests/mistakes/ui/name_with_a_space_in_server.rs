// The protocol allows no spaces in a name. Write `_`, and let `title = "…"` be what people read.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(name = "get forecast")]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
