// The type borrows, and there is nothing to borrow from. Let it own its data, such as a `String`.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text<'a>(&'a str);

/// Do something.
#[tool]
async fn f(text: Text) -> usize {
    text.0.len()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
