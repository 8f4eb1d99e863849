// There is no option of this name. The error says which was probably meant.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(destructiv = true)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
