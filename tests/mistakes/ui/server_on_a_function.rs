// A function by itself needs no server. Mark it `#[tool]`, and give it by `.tool(…)`.

use mcp_server::prelude::*;

#[server]
async fn serve() {}

fn main() {
    let _ = serve();
}
