// The library keeps the server and lends it to each call. Take `&self`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(self: std::sync::Arc<Self>) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
