// A tool does something, and a type is something. Put `#[server]` on an `impl` block of the type, and `#[tool]` on
// methods there.

use mcp_server::prelude::*;

/// Do something.
#[tool]
struct Shop;

fn main() {
    let _ = Server::new("test");
}
