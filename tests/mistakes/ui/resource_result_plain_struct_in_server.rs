// A resource gives words or bytes. Return `Json(…)` around the struct, which derives `serde::Serialize`.

use mcp_server::prelude::*;

struct Shop;

struct Order {
    id: u32,
}

#[server]
impl Shop {
    #[resource("shop://order")]
    async fn f(&self) -> Order {
        Order { id: 3 }
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
