// The name is checked while the program is compiled, before constants have a value. Write it as a string literal.

use mcp_server::prelude::*;

const NAME: &str = "get_forecast";

/// Do something.
#[tool(name = NAME)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
