// A method that takes `self` uses the server up, and there are other calls. Take `&self`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(mut self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
