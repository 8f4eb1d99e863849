// A template stands for many resources, and each has its size. Remove the option.

use mcp_server::prelude::*;

#[resource("shop://orders/{id}", size = 3)]
async fn f(id: u32) -> String {
    id.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
