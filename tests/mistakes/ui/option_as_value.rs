// Options stand in parentheses, each with its name. Write `#[tool(name = "…")]`.

use mcp_server::prelude::*;

/// Do something.
#[tool = "x"]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
