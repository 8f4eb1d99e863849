// Clients read a resource by its address. Write it in parentheses.

use mcp_server::prelude::*;

#[resource]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
