// A type has one method of a name. Rename one, and keep its name for clients with `name = "…"`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}

    /// Do something.
    #[tool]
    async fn f(&self, n: u32) {
        let _ = n;
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
