// The type borrows, and there is nothing to borrow from. Let it own its data, such as a `String`.

use mcp_server::prelude::*;

struct Shop;

struct Text<'a>(&'a str);

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, text: Text<'_>) -> usize {
        text.0.len()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
