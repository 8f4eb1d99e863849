// `.with(…)` takes a value that knows what it offers. Put `#[server]` on an `impl` block of its type, and `#[tool]`
// on methods there.

use mcp_server::prelude::*;

struct Shop;

impl Shop {
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
