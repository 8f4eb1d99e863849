// A block with the attribute and without tools would be a slip. Mark the methods that clients may call.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    fn helper(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
