use mcp_server::prelude::*;

#[tool]
async fn f(#[tool(default = 3)] n: String) -> String {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
