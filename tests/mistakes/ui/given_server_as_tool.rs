// A value whose type has a `#[server]` block brings all that it offers. Give it by `.with(…)`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").tool(Shop);
}
