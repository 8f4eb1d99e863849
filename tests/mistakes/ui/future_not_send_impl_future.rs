// What an `async` block captures moves with the call, which may go from one thread to another. Capture what is
// `Send`, such as an `Arc`.

use mcp_server::prelude::*;

/// Do something.
#[tool]
fn f() -> impl Future<Output = u32> {
    let count = std::rc::Rc::new(1);
    async move { *count }
}

fn main() {
    let _ = Server::new("test").tool(f);
}
