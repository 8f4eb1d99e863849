// The body has to give what the signature says, as in any function.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> String {
        3
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
