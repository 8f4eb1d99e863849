// The attribute reads the methods of one type. Put `#[tool]` on each function of the module, and give them by
// `.tool(…)`.

use mcp_server::prelude::*;

#[server]
mod shop {
    pub async fn f() {}
}

fn main() {
    let _ = shop::f();
}
