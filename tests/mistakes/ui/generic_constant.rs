// A client is told the type of each argument, and that of an array of any length is not known. Take a `Vec`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f<const N: usize>(n: [u8; N]) -> usize {
    n.len()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
