// Clients call it by its name. Write one, or remove the option: then it is the function's own.

use mcp_server::prelude::*;

/// Do something.
#[tool(name = "")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
