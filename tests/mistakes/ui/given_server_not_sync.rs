// Calls run side by side on several threads, and all of them use the server. Keep what changes in a `Mutex` or an
// atomic, instead of a `Cell` or a `RefCell`.

use mcp_server::prelude::*;

struct Shop {
    sales: std::cell::Cell<u32>,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> u32 {
        self.sales.get()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop { sales: std::cell::Cell::new(1) });
}
