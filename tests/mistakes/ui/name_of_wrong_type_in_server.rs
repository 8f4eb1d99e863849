// The name is checked while the program is compiled, before constants have a value. Write it as a string literal.

use mcp_server::prelude::*;

struct Shop;

const NAME: &str = "get_forecast";

#[server]
impl Shop {
    /// Do something.
    #[tool(name = NAME)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
