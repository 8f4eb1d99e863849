// `default` alone takes the default of the type, and this type has none. Derive `Default` for it, or write the value:
// `default = Unit::Celsius`.

use mcp_server::prelude::*;

struct Shop;

#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Unit {
    Celsius,
}

#[server]
impl Shop {
    /// Do something.
    #[tool]
    async fn f(&self, #[tool(default)] unit: Unit) {
        let Unit::Celsius = unit;
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
