// The value stands in a function that the tool awaits, so that the tool carries it too. Drop it there before the
// `.await`, or take one that is `Send`.

use mcp_server::prelude::*;

async fn g() -> u32 {
    let count = std::rc::Rc::new(1);
    tokio::task::yield_now().await;
    *count
}

/// Do something.
#[tool]
async fn f() -> u32 {
    g().await
}

fn main() {
    let _ = Server::new("test").tool(f);
}
