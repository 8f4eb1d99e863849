// The variables come from the client and are given away, so that there is nothing to borrow from. Take a `String`.

use mcp_server::prelude::*;

#[resource("shop://orders/{id}")]
async fn f(id: &str) -> String {
    id.to_owned()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
