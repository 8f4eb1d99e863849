// The protocol allows no spaces in a name. Write `_`, and let `title = "…"` be what people read.

use mcp_server::prelude::*;

#[prompt(name = "say hello")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
