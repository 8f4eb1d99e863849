// The parameters of a closure have no names that a client could be told. Write an `async fn` with `#[tool]`, or build
// the tool with `Tool::builder`.

use mcp_server::prelude::*;



fn main() {
    let _ = Server::new("test").tool(async |n: u32| n);
}
