use mcp_server::prelude::*;

#[tool]
async fn größe() {}

fn main() {
    let _ = Server::new("test").tool(größe);
}
