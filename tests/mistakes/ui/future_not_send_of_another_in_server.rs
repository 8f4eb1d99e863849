// The value stands in a function that the tool awaits, so that the tool carries it too. Drop it there before the
// `.await`, or take one that is `Send`.

use mcp_server::prelude::*;

struct Shop;

async fn g() -> u32 {
    let count = std::rc::Rc::new(1);
    tokio::task::yield_now().await;
    *count
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> u32 {
        g().await
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
