// A model chooses a tool by its description, so a tool without one is hardly ever called. This is a warning, made an
// error here: write a doc comment, or `description = ""` if it needs none, or allow it.

#![deny(deprecated)]

use mcp_server::prelude::*;

#[tool]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
