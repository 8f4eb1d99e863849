// A client is told each argument and its type. Take a `Vec` for any number of values.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    unsafe extern "C" fn f(&self, n: u32, args: ...) -> u32 {
        n
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
