// Of the templates of RFC 6570 only plain variables, `{+path}` and `{?query}` are served. Write the plain name.

use mcp_server::prelude::*;

#[resource("shop://orders/{id*}")]
async fn f(id: u32) -> String {
    id.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
