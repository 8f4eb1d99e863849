// A method that completes gives the values that fit what was typed. Return a `Vec<String>`, or a `Completion` if
// there is more to say.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[prompt]
    async fn f(&self, #[prompt(complete = Self::names)] name: String) -> String {
        name
    }

    async fn names(&self, typed: String) -> usize {
        typed.len()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
