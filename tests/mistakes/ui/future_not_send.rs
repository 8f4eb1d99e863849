// Calls may move from one thread to another while they wait, so that what lives over an `.await` has to be `Send`.
// Drop the value before, in a block of its own, or take one that is: `Arc` instead of `Rc`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> u32 {
    let count = std::rc::Rc::new(1);
    tokio::task::yield_now().await;
    *count
}

fn main() {
    let _ = Server::new("test").tool(f);
}
