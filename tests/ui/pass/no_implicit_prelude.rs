//! A crate in which no name is there by itself.

#![no_implicit_prelude]
#![deny(warnings)]

use ::mcp_server::{Context, server, tool};
use ::std::string::String;

/// A number and a text.
#[doc = ::core::include_str!("included.md")]
#[tool(timeout = 3)]
async fn free(
    /// A text.
    text: String,
    ctx: Context,
    #[tool(default = 10)] number: u32,
    #[serde(default)] other: u32,
    #[tool(default = "x")] word: String,
) -> usize {
    let _ = (ctx, number, other, word);
    text.len()
}

#[tool]
fn plain(#[tool(default = -1.5)] x: f64) -> f64 {
    x
}

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn method(&self, number: u8, #[cfg(any())] gone: u8, #[cfg(all())] here: u8) -> u8 {
        number + here
    }

    #[tool]
    fn plain_method(&self, _number: u8) {}
}

fn main() {
    let _ = ::mcp_server::Server::new("bare").tool(free).tool(plain {}).with(Shop);
}
