// The option is a yes or a no. Write it alone for yes, or `= false` for no.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool(read_only = "yes")]
    async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
