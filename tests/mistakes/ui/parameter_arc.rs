// What calls share is no argument. Take it as `State<Store>`, and give it to the server by `.state(…)`.

use mcp_server::prelude::*;

struct Store;

/// Do something.
#[tool]
async fn f(store: std::sync::Arc<Store>) {
    let _ = store;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
