// A server may have several states, and the type says which is meant. Write `State<Store>`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(store: State) {
    let _ = store;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
