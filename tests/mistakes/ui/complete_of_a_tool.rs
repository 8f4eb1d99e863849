// The protocol completes what a person types, and it is a model that writes the arguments of a tool. Remove the
// option; an `enum` tells the model which values there are.

use mcp_server::prelude::*;

/// Do something.
#[tool]
async fn f(#[tool(complete = names)] name: String) -> String {
    name
}

fn names(typed: String) -> Vec<String> {
    vec![typed]
}

fn main() {
    let _ = Server::new("test").tool(f);
}
