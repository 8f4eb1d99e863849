// The names of options are words of Rust, with `_` between their parts. Write `read_only`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(read-only)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
