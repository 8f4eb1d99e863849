// A doc comment belongs to what stands below it. Write the function there.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[tool]
    /// What it does.
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
