// The hints of the protocol are options of their own here. Write `read_only`, `destructive`, `idempotent` or
// `open_world`.

use mcp_server::prelude::*;

/// Do something.
#[tool(annotations(read_only_hint = true))]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
