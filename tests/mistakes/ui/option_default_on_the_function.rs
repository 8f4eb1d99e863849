// A default belongs to one parameter. Write the option in front of that.

use mcp_server::prelude::*;

/// Do something.
#[tool(default = 3)]
async fn f(n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
