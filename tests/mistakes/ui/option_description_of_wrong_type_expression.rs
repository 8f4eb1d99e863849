// A description is a text. Give a `&'static str` or a `String`; a number becomes one by `.to_string()`.

use mcp_server::prelude::*;

#[tool(description = 2 + 3)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
