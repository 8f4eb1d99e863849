// The server is dropped when it is no longer served, so that it does not live for ever. Take `&self`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&'static self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
