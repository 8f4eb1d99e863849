// A variable is read from a text. Derive `serde::Deserialize` for the type, or take a `String`.

use mcp_server::prelude::*;

struct Id(u32);

#[resource("shop://orders/{id}")]
async fn f(id: Id) -> String {
    id.0.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
