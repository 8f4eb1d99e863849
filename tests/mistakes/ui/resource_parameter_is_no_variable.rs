// A resource gets its arguments from its address. Add `{currency}` to the address, or take what comes from the call,
// such as `Context`.

use mcp_server::prelude::*;

#[resource("shop://orders/{id}")]
async fn f(id: u32, currency: String) -> String {
    currency + &id.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
