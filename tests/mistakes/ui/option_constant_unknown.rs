// The value is an expression like any other, so that the constant has to exist and be in scope. Correct its name, or
// import it.

use mcp_server::prelude::*;

/// Do something.
#[tool(title = TITEL)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
