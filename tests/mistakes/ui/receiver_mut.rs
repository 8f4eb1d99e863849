// Calls run side by side, so that none of them has the server for itself. Take `&self`, and keep what changes in a
// `Mutex` or an atomic.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&mut self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
