// What the client writes in the address would be lost. Add a parameter that has the name of the variable.

use mcp_server::prelude::*;

#[resource("shop://orders/{id}")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
