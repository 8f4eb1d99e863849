// The protocol allows 128 characters. Take a shorter name, and let `title = "…"` say the rest to people.

use mcp_server::prelude::*;

/// Do something.
#[tool(name = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
