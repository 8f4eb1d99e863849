// Clients call a prompt by its name. Give one of the two another by `name = "…"`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    #[prompt]
    async fn f(&self) -> String {
        String::new()
    }

    #[prompt(name = "f")]
    async fn g(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
