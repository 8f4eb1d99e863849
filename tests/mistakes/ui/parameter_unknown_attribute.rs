// Options of a parameter stand in the attribute that its function has. Write `#[tool(default = 3)]`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[arg(default = 3)] count: u32) {
    let _ = count;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
