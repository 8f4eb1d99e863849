// The function is a tool. Give it by `.tool(…)`, or mark it `#[resource("…")]`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
