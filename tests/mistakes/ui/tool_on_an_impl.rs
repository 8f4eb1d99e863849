// The block says whose methods these are, and each method for itself what it is. Put `#[server]` on the block, and
// `#[tool]` on methods.

use mcp_server::prelude::*;

struct Shop;

/// Do something.
#[tool]
impl Shop {
    fn f(&self) {}
}

fn main() {
    let _ = Server::new("test");
}
