// The words before `fn` have an order. Write `async unsafe fn` for a function, and no `unsafe` for a tool.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    unsafe async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
