// The address is the one thing that each resource has, so that it needs no name. Write it first, by itself.

use mcp_server::prelude::*;

#[resource(uri = "shop://catalog")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
