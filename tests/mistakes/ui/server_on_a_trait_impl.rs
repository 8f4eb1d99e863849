// What a trait demands is decided by the trait. Write the tools in an `impl` block of the type alone, which may call
// the methods of the trait.

use mcp_server::prelude::*;

struct Shop;

trait Tools {
    fn f(&self);
}

#[server]
impl Tools for Shop {
    /// Do something.
    #[tool]
    fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
