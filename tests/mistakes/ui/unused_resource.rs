// A resource that no server is given can't be read. Add it by `.resource(f)`.

#![deny(dead_code)]

use mcp_server::prelude::*;

#[resource("shop://catalog")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test");
}
