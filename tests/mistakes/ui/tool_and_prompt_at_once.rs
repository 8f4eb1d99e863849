// Tools are called by models, and prompts are chosen by people. Write two functions, which may call a third.

use mcp_server::prelude::*;

/// Do something.
#[tool]
#[prompt]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
