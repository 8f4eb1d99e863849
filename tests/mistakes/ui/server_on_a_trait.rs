// A trait says what a type can do, and no value is behind it. Write the methods in an `impl` block of a type, which
// may call those of the trait.

use mcp_server::prelude::*;

#[server]
trait Tools {
    /// Do something.
    #[tool]
    async fn f(&self);
}

fn main() {
    let _ = Server::new("test");
}
