// There is nothing to specialize in a tool. Remove `default`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
default async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
