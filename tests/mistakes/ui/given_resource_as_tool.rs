// The function is a resource. Give it by `.resource(…)`, or mark it `#[tool]`.

use mcp_server::prelude::*;

#[resource("shop://catalog")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
