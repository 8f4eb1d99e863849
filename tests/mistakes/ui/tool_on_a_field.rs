// The attribute makes a tool of a function. Write a method that returns the field.

use mcp_server::prelude::*;

struct Shop {
    #[tool]
    name: String,
}

fn main() {
    let _ = Shop { name: String::new() };
}
