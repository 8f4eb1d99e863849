// An icon has an address and may have sizes and a theme, which a text can't say. Let the function return an `Icon`.

use mcp_server::prelude::*;

#[resource("shop://catalog", icon = icon())]
async fn f() -> String {
    String::new()
}

fn icon() -> &'static str {
    "icon.png"
}

fn main() {
    let _ = Server::new("test").resource(f);
}
