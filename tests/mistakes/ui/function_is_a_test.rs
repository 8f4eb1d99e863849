// A test is called by the test runner, and a tool by clients. Write a test beside it that calls the function.

use mcp_server::prelude::*;

/// Do something.
#[tool]
#[test]
fn f() {}

fn main() {
    let _ = Server::new("test").tool(f {});
}
