// A method needs its server, which a block with `#[server]` gives it. Put `#[server]` on the `impl` block.

use mcp_server::prelude::*;

struct Shop;

impl Shop {
    #[resource("shop://catalog")]
    async fn f(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Shop;
}
