//! A module in which no name is there by itself.

#![no_implicit_prelude]

use ::facade::mcp::{prompt, resource, server, tool, Context, Server};
use ::std::string::String;

/// Repeat a text.
#[tool(crate = ::facade::mcp, timeout = 2.5)]
pub async fn repeat(text: String, #[tool(default = 2)] times: usize, ctx: Context) -> String {
    let _ = ctx;
    text.repeat(times)
}

/// Negate a truth.
#[tool(crate = ::facade::mcp)]
#[must_use]
pub fn not(value: bool) -> bool {
    !value
}

/// What stands there.
#[resource("bare://{id}", crate = ::facade::mcp)]
#[must_use]
pub fn read(id: String) -> String {
    id
}

/// Write a word.
#[prompt(crate = ::facade::mcp)]
pub async fn write(word: String) -> String {
    word
}

#[derive(Debug)]
struct Bare;

#[server(crate = ::facade::mcp)]
impl Bare {
    /// Give a number back.
    #[tool]
    async fn same(&self, number: u8) -> u8 {
        number
    }

    /// The same on a thread.
    #[tool]
    fn same_plain(&self, number: u8) -> u8 {
        number
    }
}

/// A server with all of it.
#[must_use]
pub fn server() -> Server {
    Server::new("bare").tool(repeat).tool(not {}).resource(read {}).prompt(write).with(Bare)
}
