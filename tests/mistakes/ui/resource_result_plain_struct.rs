// A resource gives words or bytes. Return `Json(…)` around the struct, which derives `serde::Serialize`.

use mcp_server::prelude::*;

struct Order {
    id: u32,
}

#[resource("shop://order")]
async fn f() -> Order {
    Order { id: 3 }
}

fn main() {
    let _ = Server::new("test").resource(f);
}
