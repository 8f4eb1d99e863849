// An attribute takes its options in parentheses. Write `#[resource("shop://catalog")]`.

use mcp_server::prelude::*;

#[resource = "shop://catalog"]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
