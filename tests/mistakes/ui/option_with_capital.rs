// The names of options are written in small letters. Write `name`.

use mcp_server::prelude::*;

/// Do something.
#[tool(Name = "x")]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
