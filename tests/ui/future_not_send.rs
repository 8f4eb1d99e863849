use mcp_server::prelude::*;

#[tool]
async fn f() -> u32 {
    let count = std::rc::Rc::new(1);
    tokio::task::yield_now().await;
    *count
}

fn main() {
    let _ = Server::new("test").tool(f);
}
