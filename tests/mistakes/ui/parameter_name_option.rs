// A parameter has one name for the body and for clients. Rename the parameter itself.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(name = "n")] count: u32) {
    let _ = count;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
