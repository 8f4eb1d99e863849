// A header repeats one parameter. Write the option in front of that.

use mcp_server::prelude::*;

/// Do something.
#[tool(header = "Region")]
async fn f(region: String) -> String {
    region
}

fn main() {
    let _ = Server::new("test").tool(f);
}
