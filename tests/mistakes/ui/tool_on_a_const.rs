// A tool does something, and a constant is something. Write a function that returns it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
const LIMIT: u32 = 3;

fn main() {
    let _ = LIMIT;
}
