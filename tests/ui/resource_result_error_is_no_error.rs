use mcp_server::prelude::*;

#[resource("shop://order")]
async fn f() -> Result<String, u32> {
    Err(3)
}

fn main() {
    let _ = Server::new("test").resource(f);
}
