// A client is told the name of each argument, and `_` is none. Write a name; it may begin with `_` if the body does
// not use it.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, _: i32) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
