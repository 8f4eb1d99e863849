// The path of the library goes for the whole block. Write it above: `#[server(crate = …)]`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(crate = mcp_server)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
