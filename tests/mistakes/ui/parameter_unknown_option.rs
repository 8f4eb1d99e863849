// There is no option of this name for a parameter. The error says which was probably meant.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(defualt = 3)] n: u32) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
