// There is no option of this name. The error says which was probably meant.

use mcp_server::prelude::*;

#[resource("shop://catalog", mimetype = "text/plain")]
async fn f() -> String {
    String::new()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
