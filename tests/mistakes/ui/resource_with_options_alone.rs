// Clients read a resource by its address. Write it first, before the options.

use mcp_server::prelude::*;

#[resource(mime_type = "text/plain")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
