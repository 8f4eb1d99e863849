use mcp_server::prelude::*;

#[tool]
async fn f(#[serde(rename = "orderId")] order_id: String) -> String {
    order_id
}

fn main() {
    let _ = Server::new("test").tool(f);
}
