// There is nothing to specialize in a tool. Remove `default`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    default async fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
