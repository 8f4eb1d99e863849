// A server is kept as long as it is served, so that it can't borrow. Let it own its data, or share them by an `Arc`.

use mcp_server::prelude::*;

struct Shop<'a> {
    name: &'a str,
}

#[server]
impl<'a> Shop<'a> {
    /// Do something.
    #[tool]
    async fn f(&self) -> usize {
        self.name.len()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop { name: "x" });
}
