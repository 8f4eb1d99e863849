// The result is sent when the call is over, and its arguments are gone by then. Return what owns its data, or a
// `&'static str`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self) -> &str {
        "text"
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
