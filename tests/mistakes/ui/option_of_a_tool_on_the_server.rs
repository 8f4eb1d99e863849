// The block has no name of its own; what it offers has. Write the option in the attribute of the method.

use mcp_server::prelude::*;

struct Shop;

#[server(name = "shop")]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
