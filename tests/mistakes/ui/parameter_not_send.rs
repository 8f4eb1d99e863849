// A plain `fn` runs on a thread of its own, to which the arguments move. Take a type that is `Send`.

use mcp_server::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Point {
    x: f64,
    #[serde(skip)]
    cache: std::cell::OnceCell<std::rc::Rc<u32>>,
}

/// Do something.
#[tool]
fn f(point: Point) -> f64 {
    let _ = point.cache;
    point.x
}

fn main() {
    let _ = Server::new("test").tool(f {});
}
