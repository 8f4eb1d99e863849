// `complete = Self::name` looks for a method in the same block. Write one there, or correct the name.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[prompt]
    async fn f(&self, #[prompt(complete = Self::names)] name: String) -> String {
        name
    }

    fn name(&self, typed: String) -> Vec<String> {
        vec![typed]
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
