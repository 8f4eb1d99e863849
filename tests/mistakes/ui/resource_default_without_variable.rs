// A default is for a variable that an address may lack. Add the variable, such as `{?limit}`, or remove the
// parameter.

use mcp_server::prelude::*;

#[resource("shop://catalog")]
async fn f(#[resource(default = 3)] limit: u32) -> String {
    limit.to_string()
}

fn main() {
    let _ = Server::new("test").resource(f);
}
