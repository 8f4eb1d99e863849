// A function that completes is given what was typed so far. Take it as a `String`, or as a `Completing`, which knows
// the other arguments too.

use mcp_server::prelude::*;

#[prompt]
async fn f(#[prompt(complete = names)] name: String) -> String {
    name
}

fn names(typed: u32) -> Vec<String> {
    vec![typed.to_string()]
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
