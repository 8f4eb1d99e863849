// A tool is called when a client asks for it, and never while the program is compiled. Remove `const`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
const fn f() -> u32 {
    1
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
