// A block with `#[server]` offers what its value can do. Take `&self`, or write a function outside of the block and
// give it by `.tool(…)`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(name: String) -> String {
        name
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
