// What a trait demands is decided by the trait. Write the tool in an `impl` block of the type alone, with
// `#[server]`.

use mcp_server::prelude::*;

trait Greet {
    fn greet(&self);
}

/// Do something.
#[tool]
impl Greet for u32 {
    fn greet(&self) {}
}

fn main() {
    3.greet();
}
