// What the attribute makes a tool has to do something. Write the body after it, in braces.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self);
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
