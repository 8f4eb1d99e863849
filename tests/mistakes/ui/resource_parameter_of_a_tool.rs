// Options of a parameter stand in the attribute that its function has. Write `#[resource(…)]`.

use mcp_server::prelude::*;

#[resource("shop://orders{?limit}")]
async fn f(#[tool(default = 3)] limit: u32) -> String {
    limit.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
