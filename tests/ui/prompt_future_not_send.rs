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
