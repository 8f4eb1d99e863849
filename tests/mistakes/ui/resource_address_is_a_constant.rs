// The variables of the address are read while the program is compiled, before constants have a value. Write it as a
// string literal.

use mcp_server::prelude::*;

const CATALOG: &str = "shop://catalog";

#[resource(CATALOG)]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
