// Options of a parameter stand in the attribute that its function has. Write `#[tool(…)]`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[prompt(title = "x")] count: u32) {
    let _ = count;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
