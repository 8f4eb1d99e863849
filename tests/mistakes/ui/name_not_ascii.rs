// The name is taken from the function, and the protocol allows only some characters in it. Give another with `name =
// "…"`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn größe() {}

fn main() {
    let _ = Server::new("test").tool(größe);
}
