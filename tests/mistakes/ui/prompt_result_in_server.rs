// A prompt that exists has messages. Return a `Result` whose error says what is missing.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[prompt]
    async fn f(&self) -> Option<String> {
        None
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
