use mcp_server::prelude::*;

#[tool(header = "Region")]
async fn f(region: String) -> String {
    region
}

fn main() {
    let _ = Server::new("test").tool(f);
}
