// The function is a prompt. Give it by `.prompt(…)`, or mark it `#[tool]`.

use mcp_server::prelude::*;

#[prompt]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
