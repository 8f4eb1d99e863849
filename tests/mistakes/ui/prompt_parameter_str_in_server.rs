// The arguments come from the client and are given away, so that there is nothing to borrow from. Take a `String`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[prompt]
    fn f(&self, name: &str) -> String {
        name.to_owned()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
