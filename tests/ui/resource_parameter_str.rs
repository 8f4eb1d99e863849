use mcp_server::prelude::*;

#[resource("shop://orders/{id}")]
async fn f(id: &str) -> String {
    id.to_owned()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
