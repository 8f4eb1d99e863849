//! A crate in which no name is there by itself.

#![allow(deprecated, reason = "no model chooses among these tools, so they need no description")]
#![no_implicit_prelude]
#![deny(warnings)]

use ::mcp_server::{Context, prompt, resource, server, tool};
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

#[resource("bare://{id}{?limit}", ttl = 3, scope = "public", audience = "user", priority = 0.5)]
async fn read(
    #[resource(complete = completed)] id: String,
    #[resource(default = 3)] limit: u8,
    ctx: Context,
) -> String {
    let _ = (limit, ctx);
    id
}

#[prompt]
fn write(#[prompt(complete = completed)] word: String, #[prompt(default = "x")] other: String) -> String {
    let _ = other;
    word
}

fn completed(typed: String) -> ::std::vec::Vec<String> {
    ::std::vec![typed]
}

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn method(&self, number: u8, #[cfg(any())] gone: u8, #[cfg(not(any()))] here: u8) -> u8 {
        number + here
    }

    #[tool]
    fn plain_method(&self, _number: u8) {}

    #[resource("bare://shop/{id}")]
    async fn read(&self, #[resource(complete = Self::ids)] id: String) -> String {
        id
    }

    #[prompt]
    fn write_more(&self, #[prompt(complete = Self::ids)] word: String) -> String {
        word
    }

    async fn ids(&self, typed: String) -> ::std::vec::Vec<String> {
        ::std::vec![typed]
    }
}

fn main() {
    let _ = ::mcp_server::Server::new("bare").tool(free).tool(plain {}).resource(read).prompt(write {}).with(Shop);
}
