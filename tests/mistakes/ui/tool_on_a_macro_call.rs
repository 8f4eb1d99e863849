// A macro is expanded after the attribute has read it. Write the attribute in the macro, above the function.

use mcp_server::prelude::*;

macro_rules! make {
    () => {
        async fn f() {}
    };
}

/// Do something.
#[tool]
make!();

fn main() {
    let _ = f();
}
