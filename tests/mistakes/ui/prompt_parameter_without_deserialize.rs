// An argument of a prompt is read from a text. Derive `serde::Deserialize` for the type, or take a `String`.

use mcp_server::prelude::*;

struct Name(String);

#[prompt]
async fn f(name: Name) -> String {
    name.0
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
