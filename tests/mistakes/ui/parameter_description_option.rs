// A parameter is described by a doc comment, as the function is. Write `/// …` above the parameter.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(description = "How many.")] n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
