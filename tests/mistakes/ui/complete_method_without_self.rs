// A method that completes is called with the server, as all methods of the block are. Give it `&self`, or name a
// function outside of the block: `complete = names`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[prompt]
    async fn f(&self, #[prompt(complete = Self::names)] name: String) -> String {
        name
    }

    fn names(typed: String) -> Vec<String> {
        vec![typed]
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
