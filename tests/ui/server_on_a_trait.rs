use mcp_server::prelude::*;

#[server]
trait Tools {
    #[tool]
    async fn f(&self);
}

fn main() {
    let _ = Server::new("test");
}
