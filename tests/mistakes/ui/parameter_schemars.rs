// schemars reads its attribute on the fields of a struct. A parameter is limited by options of `#[tool]`.

use mcp_server::prelude::*;

/// Roll the dice.
#[tool]
async fn f(#[schemars(range(min = 1))] dice: u32) -> u32 {
    dice
}

fn main() {
    let _ = Server::new("test").tool(f);
}
