use mcp_server::prelude::*;

#[tool]
async fn f(
    #[tool(default = 3)]
    #[serde(default)]
    n: u32,
) -> u32 {
    n
}

fn main() {
    let _ = Server::new("test").tool(f);
}
