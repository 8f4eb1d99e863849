// The block says whose methods these are, and each method for itself what it is. Put `#[server]` on the block, and
// `#[prompt]` on methods.

use mcp_server::prelude::*;

struct Shop;

#[prompt]
impl Shop {
    fn f(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Shop;
}
