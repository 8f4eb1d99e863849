// The name is taken from the function, and the protocol allows only some characters in it. Give another with `name =
// "…"`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn größe(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
