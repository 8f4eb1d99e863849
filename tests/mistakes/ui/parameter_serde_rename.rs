// The parameter's own name is what clients send. Rename the parameter, or take a struct whose field is renamed.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[serde(rename = "orderId")] order_id: String) -> String {
    order_id
}

fn main() {
    let _ = Server::new("test").tool(f);
}
