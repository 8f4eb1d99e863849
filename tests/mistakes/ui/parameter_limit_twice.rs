// One keyword has one value. Remove one of the two.

use mcp_server::prelude::*;

/// Roll the dice.
#[tool]
async fn f(
    #[tool(maximum = 6)]
    #[tool(maximum = 10)]
    dice: u32,
) -> u32 {
    dice
}

fn main() {
    let _ = Server::new("test").tool(f);
}
