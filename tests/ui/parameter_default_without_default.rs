use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Unit {
    Celsius,
}

#[tool]
async fn f(#[tool(default)] unit: Unit) {
    let Unit::Celsius = unit;
}

fn main() {
    let _ = Server::new("test").tool(f);
}
