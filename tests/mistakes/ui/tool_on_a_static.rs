// A tool does something, and a static is something. Write a function that returns it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
static LIMIT: u32 = 3;

fn main() {
    let _ = LIMIT;
}
