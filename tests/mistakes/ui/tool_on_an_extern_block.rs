// A function of C has nothing that a client could be told. Write a function that calls it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
unsafe extern "C" {
    fn abs(n: i32) -> i32;
}

fn main() {
    let _ = unsafe { abs(3) };
}
