use mcp_server::prelude::*;

#[tool]
fn f<T: ToString>(value: T) -> String {
    value.to_string()
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
