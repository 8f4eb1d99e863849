// A macro is expanded after the attribute has read the block, which would miss its methods. Write them out, or let
// the macro make the whole block.

use mcp_server::prelude::*;

struct Shop;

macro_rules! make {
    ($name:ident) => {
        /// Do something.
        #[tool]
        async fn $name(&self) {}
    };
}

#[server]
impl Shop {
    make!(f);
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
