use mcp_server::prelude::*;

struct Shop;

struct Forecast {
    celsius: f64,
}

#[server]
impl Shop {
    #[tool]
    async fn f(&self) -> Forecast {
        Forecast { celsius: 3.0 }
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
