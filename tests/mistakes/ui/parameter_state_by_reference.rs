// A `State` is shared already, and costs nothing to keep. Take it without `&`.

use mcp_server::prelude::*;

struct Store;

/// Do something.
#[tool]
async fn f(store: &State<Store>) {
    let _ = store;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
