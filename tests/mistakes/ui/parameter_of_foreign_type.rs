// Only the crate of the type, or one that knows it, can say how it looks in JSON. Take a type that has both traits,
// such as a number of seconds, and convert it in the body.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(at: std::time::Instant) {
    let _ = at;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
