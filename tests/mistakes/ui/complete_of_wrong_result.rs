// A function that completes gives the values that fit what was typed. Return a `Vec<String>`, or a `Completion` if
// there is more to say.

use mcp_server::prelude::*;

#[prompt]
async fn f(#[prompt(complete = names)] name: String) -> String {
    name
}

async fn names(typed: String) -> usize {
    typed.len()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
