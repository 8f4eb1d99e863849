use mcp_server::prelude::*;

#[resource("shop://catalog", scope = "public")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
