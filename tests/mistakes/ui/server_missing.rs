// A method needs its server, which a block with `#[server]` gives it. Put `#[server]` on the `impl` block.

use mcp_server::prelude::*;

struct Shop;

impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> usize {
        self.helper()
    }

    fn helper(&self) -> usize {
        1
    }
}

fn main() {
    let _ = Server::new("test");
}
