use mcp_server::prelude::*;

#[tool]
async fn f(#[tool(header = "Id")] id: u32, #[tool(header = "ID")] other: u32) -> u32 {
    id + other
}

fn main() {
    let _ = Server::new("test").tool(f);
}
