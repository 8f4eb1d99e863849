// Only the arguments of a prompt have titles, since people fill them in. Say it in the doc comment of the parameter.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(title = "N")] n: u32) {
    let _ = n;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
