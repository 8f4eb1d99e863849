use mcp_server::prelude::*;

#[resource(uri = "shop://catalog")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
