// A server is kept by the library, which shares it between calls by itself. Give the value as it is, without an
// `Arc`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(std::sync::Arc::new(Shop));
}
