// Options of a parameter are read by the attribute of the function. Write `#[tool]` above that too.

use mcp_server::prelude::*;

async fn f(#[tool(default = 3)] n: u32) {
    let _ = n;
}

fn main() {
    let _ = f(3);
}
