// The protocol knows two readers: the user and the assistant. Write one of them.

use mcp_server::prelude::*;

#[resource("shop://catalog", audience = "model")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
