use mcp_server::prelude::*;

#[tool]
async fn f(#[tool(header = "")] region: String) -> String {
    region
}

fn main() {
    let _ = Server::new("test").tool(f);
}
