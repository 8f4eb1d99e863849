// No type of this name is in scope. Correct the name, or import it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(point: Piont) -> f64 {
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f);
}
