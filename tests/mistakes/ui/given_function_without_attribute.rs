// Only the attribute makes a tool of a function: without it nothing says what the arguments are called and what it is
// for. Write `#[tool]` above the function.

use mcp_server::prelude::*;

async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
