// Who may keep the contents matters only when they may be kept. Say for how long, with `ttl`.

use mcp_server::prelude::*;

#[resource("shop://catalog", scope = "public")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
