// An `async fn` has the value itself as its result, and not another future. Await it in the body.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> impl Future<Output = String> {
    async { String::new() }
}

fn main() {
    let _ = Server::new("test").tool(f);
}
