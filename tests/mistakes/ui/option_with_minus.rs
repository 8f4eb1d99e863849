// The names of options are words of Rust, with `_` between their parts. Write `read_only`.

use mcp_server::prelude::*;

/// Do something.
#[tool(read-only)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
