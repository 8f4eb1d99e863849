use mcp_server::prelude::*;

struct Shop;

#[prompt]
impl Shop {
    fn f(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = Shop;
}
