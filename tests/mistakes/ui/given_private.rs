// A function with an attribute is as private as any other. Write `pub` or `pub(crate)` before it.

use mcp_server::prelude::*;

mod shop {
    use mcp_server::prelude::*;

    /// Do something.
    #[tool]
    async fn f() {}
}

fn main() {
    let _ = Server::new("test").tool(shop::f);
}
