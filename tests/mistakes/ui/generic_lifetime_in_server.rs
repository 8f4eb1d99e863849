// The arguments come from the client and are there for this call alone, so that nothing can be lent to the tool. Take
// what owns its data, and the lifetime goes with it.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f<'a>(&self, text: &'a str) -> &'a str {
        text
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
