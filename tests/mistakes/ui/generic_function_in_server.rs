// A client is told the type of each argument, and a generic function has none yet. Name the types; the work itself
// may be in a generic function that the tool calls.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f<T: ToString>(&self, value: T) -> String {
        value.to_string()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
