use mcp_server::prelude::*;

#[tool]
struct Shop;

fn main() {
    let _ = Server::new("test");
}
