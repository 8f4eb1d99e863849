// The priority goes from 0 to 1. Write a number between them.

use mcp_server::prelude::*;

#[resource("shop://catalog", priority = 10)]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
