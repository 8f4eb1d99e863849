// What speaks of `Self` stands in an `impl` block, which has to be marked. Put `#[server]` on the block.

use mcp_server::prelude::*;

struct Shop;

impl Shop {
    /// Do something.
    #[tool]
    async fn f() -> Self {
        Self
    }
}

fn main() {
    let _ = Server::new("test");
}
