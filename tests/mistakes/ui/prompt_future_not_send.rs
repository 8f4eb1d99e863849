// Calls may move from one thread to another while they wait, so that what lives over an `.await` has to be `Send`.
// Drop the value before, in a block of its own, or take one that is: `Arc` instead of `Rc`.

use mcp_server::prelude::*;

use std::rc::Rc;

#[prompt]
async fn f() -> String {
    let word = Rc::new("word");
    tokio::task::yield_now().await;
    word.to_string()
}

fn main() {
    let _ = Server::new("test").prompt(f);
}
