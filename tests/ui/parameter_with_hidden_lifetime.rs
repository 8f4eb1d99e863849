use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Text<'a>(&'a str);

#[tool]
async fn f(text: Text) -> usize {
    text.0.len()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
