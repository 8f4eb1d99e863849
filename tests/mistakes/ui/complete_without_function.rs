// The option names a function. Write the name without quotation marks.

use mcp_server::prelude::*;

#[prompt]
async fn f(#[prompt(complete = "names")] name: String) -> String {
    name
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
