// There is no option of this name for a parameter. The error says which was probably meant.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, #[tool(defualt = 3)] n: u32) -> u32 {
        n
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
