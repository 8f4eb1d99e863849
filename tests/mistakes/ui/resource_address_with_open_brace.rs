// A variable stands in braces. Close them.

use mcp_server::prelude::*;

#[resource("shop://orders/{id")]
async fn f(id: u32) -> String {
    id.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
