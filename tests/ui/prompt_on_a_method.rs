use mcp_server::prelude::*;

struct Shop;

impl Shop {
    #[prompt]
    fn f(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Shop;
}
