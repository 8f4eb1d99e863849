// A header repeats what the client sends as an argument, and a state is kept by the server. Remove the option.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(header = "Stock")] stock: State<u32>) -> u32 {
    *stock
}

fn main() {
    let _ = Server::new("test").tool(f);
}
