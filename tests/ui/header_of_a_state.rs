use mcp_server::prelude::*;

#[tool]
async fn f(#[tool(header = "Stock")] stock: State<u32>) -> u32 {
    *stock
}

fn main() {
    let _ = Server::new("test").tool(f);
}
