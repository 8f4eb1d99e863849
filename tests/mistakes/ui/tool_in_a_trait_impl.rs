// A method of a trait has no server. Write the tool in an `impl` block of the type alone, with `#[server]`, and call
// the method of the trait there.

use mcp_server::prelude::*;

trait Greet {
    fn greet(&self);
}

impl Greet for u32 {
    /// Do something.
    #[tool]
    fn greet(&self) {}
}

fn main() {
    3.greet();
}
