// A trait says what a type can do, and no value is behind it. Write the tools in an `impl` block of a type, with
// `#[server]`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
trait Greet {
    fn greet(&self) {}
}

impl Greet for u32 {}

fn main() {
    3.greet();
}
