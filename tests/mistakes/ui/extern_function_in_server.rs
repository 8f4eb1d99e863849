// A tool is called by the library, which is Rust. Remove `extern`, and call the C function in the body.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    extern "C" fn f(&self) {}
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
