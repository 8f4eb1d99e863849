// A parameter gets the variable that has its name. Write both alike.

use mcp_server::prelude::*;

#[resource("shop://orders/{order_id}")]
async fn f(oder_id: u32) -> String {
    oder_id.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
