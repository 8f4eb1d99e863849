// A list of structs could be meant as JSON or as several contents. Return `Json(…)` around the list.

use mcp_server::prelude::*;

struct Forecast {
    celsius: f64,
}

/// Do something.
#[tool]
async fn f() -> Vec<Forecast> {
    Vec::new()
}

fn main() {
    let _ = Server::new("test").tool(f);
}
