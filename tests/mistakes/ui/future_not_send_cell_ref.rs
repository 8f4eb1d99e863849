// A reference to a `Cell` or a `RefCell` can't be used by another thread, on which the call may wake up. Use a
// `Mutex`, or drop the reference before the `.await`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> u32 {
    let count = std::cell::RefCell::new(1);
    let there = &count;
    tokio::task::yield_now().await;
    *there.borrow()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
