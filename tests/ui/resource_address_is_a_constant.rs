use mcp_server::prelude::*;

const CATALOG: &str = "shop://catalog";

#[resource(CATALOG)]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
