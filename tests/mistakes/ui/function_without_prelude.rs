// The attributes are items of the library, which have to be imported. Write `use mcp_server::prelude::*;`, or
// `#[mcp_server::tool]`.

/// Do something.
#[tool]
async fn f() {}

fn main() {
    let _ = f();
}
