// There is no option of this name, and the error lists those that there are. What the library does not know is for
// the body of the function.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(retries = 3)]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
