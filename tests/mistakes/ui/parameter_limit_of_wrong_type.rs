// A limit of numbers is a number, without quotation marks.

use mcp_server::prelude::*;

/// Roll the dice.
#[tool]
async fn f(#[tool(minimum = "1")] dice: u32) -> u32 {
    dice
}

fn main() {
    let _ = Server::new("test").tool(f);
}
