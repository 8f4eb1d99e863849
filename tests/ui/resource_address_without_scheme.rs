use mcp_server::prelude::*;

#[resource("/catalog")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
