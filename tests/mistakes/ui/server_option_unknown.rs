// The name and the version of a server are told by `Server::new("…")` and `.version("…")`. The block has one option,
// the path of the library.

use mcp_server::prelude::*;

struct Shop;

#[server(version = "1")]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
