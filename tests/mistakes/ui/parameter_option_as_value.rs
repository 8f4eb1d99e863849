// Options stand in parentheses, each with its name. Write `#[tool(default = 3)]`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool = 3] count: u32) {
    let _ = count;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
