use mcp_server::prelude::*;

#[tool]
async fn f(#[tool(header = "Call")] ctx: Context) -> bool {
    ctx.is_cancelled()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
