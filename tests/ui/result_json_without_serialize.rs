use mcp_server::prelude::*;

struct Forecast {
    celsius: f64,
}

#[tool]
async fn f() -> Json<Forecast> {
    Json(Forecast { celsius: 3.0 })
}

fn main() {
    let _ = Server::new("test").tool(f);
}
