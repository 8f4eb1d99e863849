// A module has no arguments. Put the attribute on each function in it.

use mcp_server::prelude::*;

/// Do something.
#[tool]
mod shop {
    pub fn f() {}
}

fn main() {
    shop::f();
}
