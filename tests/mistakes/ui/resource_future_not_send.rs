// Calls may move from one thread to another while they wait, so that what lives over an `.await` has to be `Send`.
// Drop the value before, in a block of its own, or take one that is: `Arc` instead of `Rc`.

use mcp_server::prelude::*;

use std::rc::Rc;

#[resource("shop://order")]
async fn f() -> String {
    let order = Rc::new("order");
    tokio::task::yield_now().await;
    order.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
