// The body gives a value, and the signature names none. Write its type after `->`, or a semicolon after the value.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(a: u32) {
    a + 1
}

fn main() {
    let _ = Server::new("test").tool(f);
}
