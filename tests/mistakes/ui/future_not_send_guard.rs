// The guard of a `std::sync::Mutex` belongs to its thread, and a call may wake up on another. Let it go out of scope
// before the `.await`, or use `tokio::sync::Mutex`.

use mcp_server::prelude::*;

static COUNT: std::sync::Mutex<u32> = std::sync::Mutex::new(0);

/// Do something.
#[tool]
async fn f() -> u32 {
    let count = COUNT.lock().unwrap();
    tokio::task::yield_now().await;
    *count
}

fn main() {
    let _ = Server::new("test").tool(f);
}
