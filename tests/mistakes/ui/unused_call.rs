// A tool is called like any `async fn`, and does nothing until it is awaited. Write `.await`.

#![deny(unused_must_use)]

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f() {}

fn main() {
    f();
}
