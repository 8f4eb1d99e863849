// A tool is called when a client asks for it, and never while the program is compiled. Remove `const`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    const fn f(&self) -> u32 {
        1
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
