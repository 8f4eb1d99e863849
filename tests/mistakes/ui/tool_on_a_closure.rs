// The compiler takes such an attribute on items alone. Write an `async fn` instead of the closure.

use mcp_server::prelude::*;



fn main() {
    let f = #[tool]
    async |n: u32| n;
    let _ = f(3);
}
