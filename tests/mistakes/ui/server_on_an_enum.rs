// The attribute reads the methods, so that it stands above those. Put it on the `impl` block of the type.

use mcp_server::prelude::*;

#[server]
enum Shop {
    Open,
}

fn main() {
    let _ = Server::new("test").with(Shop::Open);
}
