use mcp_server::prelude::*;

struct Shop;

macro_rules! make {
    ($name:ident) => {
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
