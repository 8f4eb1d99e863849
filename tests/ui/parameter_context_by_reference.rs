use mcp_server::prelude::*;

#[tool]
async fn f(ctx: &Context) -> bool {
    ctx.is_cancelled()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
