use mcp_server::prelude::*;

const NAME: &str = "get_forecast";

#[tool(name = NAME)]
async fn f() {}

fn main() {
    let _ = Server::new("test").tool(f);
}
