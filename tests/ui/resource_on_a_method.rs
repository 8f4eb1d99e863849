use mcp_server::prelude::*;

struct Shop;

impl Shop {
    #[resource("shop://catalog")]
    async fn f(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Shop;
}
