// Clients call it by its name. Write one, or remove the option: then it is the function's own.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(name = "")]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
