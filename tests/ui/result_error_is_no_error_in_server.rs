use mcp_server::prelude::*;

struct Shop;

enum Failure {
    Closed,
}

#[server]
impl Shop {
    #[tool]
    async fn f(&self) -> Result<String, Failure> {
        Err(Failure::Closed)
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
