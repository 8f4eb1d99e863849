// A tool is called by the library, which is Rust. Remove `extern`, and call the C function in the body.

use mcp_server::prelude::*;

/// Do something.
#[tool]
extern "C" fn f() {}

fn main() {
    let _ = Server::new("test").tool(f {});
}
