// Calls run on several threads, and all of them use the server. Keep in it what is `Send` and `Sync`: `Arc` instead
// of `Rc`.

use mcp_server::prelude::*;

struct Shop {
    sales: std::rc::Rc<u32>,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> u32 {
        *self.sales
    }
}

fn main() {
    let _ = Server::new("test").with(Shop { sales: std::rc::Rc::new(1) });
}
