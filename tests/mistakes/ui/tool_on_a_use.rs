// The attribute reads the function itself. Put it where the function is written, or write one that calls it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
use std::cmp::max;

fn main() {
    let _ = max(1, 2);
}
