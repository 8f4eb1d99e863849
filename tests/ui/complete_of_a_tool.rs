use mcp_server::prelude::*;

#[tool]
async fn f(#[tool(complete = names)] name: String) -> String {
    name
}

fn names(typed: String) -> Vec<String> {
    vec![typed]
}

fn main() {
    let _ = Server::new("test").tool(f);
}
