// An error has to say what happened. Return a `RequestError`, or a type that implements `std::error::Error`.

use mcp_server::prelude::*;

#[resource("shop://order")]
async fn f() -> Result<String, u32> {
    Err(3)
}

fn main() {
    let _ = Server::new("test").resource(f);
}
