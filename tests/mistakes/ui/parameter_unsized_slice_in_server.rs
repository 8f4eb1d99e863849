// A slice has no size that is known, so that it can't be given away. Take a `Vec`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, n: [u8]) {
        let _ = n;
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
