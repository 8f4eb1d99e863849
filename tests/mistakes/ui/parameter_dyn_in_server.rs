// JSON does not say which type implements the trait. Name a type; an `enum` can be one of several.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, text: dyn std::fmt::Display) -> String {
        text.to_string()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
