use mcp_server::prelude::*;

enum Failure {
    Closed,
}

#[tool]
async fn f() -> Result<String, Failure> {
    Err(Failure::Closed)
}

fn main() {
    let _ = Server::new("test").tool(f);
}
