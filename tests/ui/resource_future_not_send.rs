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
