// A `State` is shared already, and costs nothing to keep. Take it without `&`.

use mcp_server::prelude::*;

struct Shop;

struct Store;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, store: &State<Store>) {
        let _ = store;
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
