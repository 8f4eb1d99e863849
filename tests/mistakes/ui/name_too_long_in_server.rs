// The protocol allows 128 characters. Take a shorter name, and let `title = "…"` say the rest to people.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
