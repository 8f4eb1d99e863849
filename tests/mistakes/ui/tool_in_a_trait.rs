// A method of a trait has no server. Write the tool in an `impl` block of a type, with `#[server]`, and call the
// method of the trait there.

use mcp_server::prelude::*;

trait Greet {
    /// Do something.
    #[tool]
    fn greet(&self) {}
}

impl Greet for u32 {}

fn main() {
    3.greet();
}
