// Each call would be over before it begins. Write how long it may take, or remove the option.

use mcp_server::prelude::*;

/// Do something.
#[tool(timeout = 0)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
