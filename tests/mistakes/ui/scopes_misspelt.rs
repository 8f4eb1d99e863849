// There is no option of this name. The error says which was probably meant.

use mcp_server::prelude::*;

/// Do something.
#[tool(scope = ["orders:write"])]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
