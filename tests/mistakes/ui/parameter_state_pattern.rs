// A parameter is a plain name here. A `State` is used like a reference to what it holds: take `store: State<…>`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(State(store): State<u32>) {
    let _ = store;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
