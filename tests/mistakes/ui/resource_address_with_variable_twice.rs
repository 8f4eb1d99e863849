// A variable has one value, and two places in an address could differ. Give each a name of its own.

use mcp_server::prelude::*;

#[resource("shop://{id}/{id}")]
async fn f(id: u32) -> String {
    id.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
