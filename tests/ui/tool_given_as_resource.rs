use mcp_server::prelude::*;

#[tool]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
