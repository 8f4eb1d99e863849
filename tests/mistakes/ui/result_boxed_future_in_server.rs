// The attribute asks whether it has to await, and a type that is boxed does not show it. Write an `async fn`.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Do something.
    #[tool]
    fn f(&self) -> std::pin::Pin<Box<dyn Future<Output = String> + Send>> {
        Box::pin(async { String::new() })
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
