// Clients read a resource by its URI, which begins with a scheme. Take one of your own, such as `shop://`.

use mcp_server::prelude::*;

#[resource("/catalog")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
