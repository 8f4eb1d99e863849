// Options stand in parentheses, each with its name. Write `#[tool(name = "…")]`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool = "x"]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
