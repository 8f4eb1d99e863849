use mcp_server::prelude::*;

struct Shop<S> {
    store: S,
}

#[server]
impl<S: ToString> Shop<S> {
    #[tool]
    async fn f(&self) -> String {
        self.store.to_string()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop { store: 3 });
}
