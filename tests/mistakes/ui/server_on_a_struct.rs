// The attribute reads the methods, so that it stands above those. Put it on the `impl` block of the type.

use mcp_server::prelude::*;

#[server]
struct Shop;

impl Shop {
    fn f(&self) {}
}

fn main() {
    let _ = Server::new("test");
}
