// What was typed is given away, and not lent. Take it as a `String`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[prompt]
    async fn f(&self, #[prompt(complete = Self::names)] name: String) -> String {
        name
    }

    fn names(&self, typed: &str) -> Vec<String> {
        vec![typed.to_owned()]
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
