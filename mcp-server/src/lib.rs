//! Write servers for the [Model Context Protocol](https://modelcontextprotocol.io) as plain functions.
//!
//! Put [`#[tool]`](tool) on an `async fn` and give it to a [`Server`]. Its parameters become the JSON Schema, its doc
//! comments the descriptions, and what it returns the result.
//!
//! ```no_run
//! use mcp_server::prelude::*;
//!
//! /// Add two numbers.
//! #[tool]
//! async fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), ServeError> {
//!     Server::new("calculator").tool(add).serve_stdio().await
//! }
//! ```
//!
//! # Where to look
//!
//! - [`tool`](macro@tool) and [`server`](macro@server): every option of the attributes.
//! - [`Context`]: progress, cancellation, and what the client says about itself.
//! - [`IntoCallToolResult`]: what a tool may return. [`Parameter`]: what it may take. [`ToolError`]: how it fails.
//! - [`Server`]: limits and times, with their defaults.
//! - `Client`: the other side, for tests and programs (feature `client`).
//! - [`protocol`]: what is on the wire, as plain data.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `macros` | yes | `#[tool]` and `#[server]` |
//! | `client` | no | `Client` |
//!
//! # What does not work
//!
//! - A tool whose future is not `Send`, such as one that holds an `Rc` over an `.await`: calls may move between
//!   threads. The compiler names the value.
//! - With `panic = "abort"` in the profile a panic in one tool ends the process. Leave it out.
//! - A server on standard input and output needs a tokio runtime with I/O and time enabled, as `#[tokio::main]` has.
//!
//! # How it is built
//!
//! ```text
//! bytes ─► transport ─► protocol ─► server::dispatch ─► server::tools ─► generated code ─► the author's function
//! bytes ◄─ transport ◄─ server::output ◄─ server::respond ◄─ server::call ◄────────────────────────┘
//! ```
//!
//! No arrow points back: `protocol` ← `schema` ← `server` ← `transport` ← `client`. To add a method of the protocol,
//! touch `protocol` for its data, `server::dispatch` for its line, and one room of its own for what it does.
//!
//! **A tool is a function and knows its tool.** An `async fn` keeps its name and its call: it returns a future whose
//! type knows the tool, which is how `.tool(add)` finds the schema and `add(1, 2).await` still works. A plain `fn`
//! returns its value and has no such place; its tool is an empty struct of the same name, given as `.tool(add {})`. A
//! constant in the function's place would have served both, but then no variable near it could have the same name.
//!
//! **A call is tried where it was read.** Most calls are ready at their first poll and cost no task, no wake-up and no
//! write of their own. One that waits moves to a task of its own; one that took more than a millisecond at its first
//! try twice in a row gets a task at once from then on, so that it does not go on holding up what is read after it.
//!
//! **Arguments stay raw JSON** until the author's types read them. Each parameter whose schema serde enforces by itself
//! is read without a detour; for the others, and whenever something is wrong, the schema itself is held against the
//! argument, so that schema and decoder are one rule and all faults are told at once.

// Both sides share the protocol: without the client some of it is only written, or only read.
#![cfg_attr(not(feature = "client"), allow(dead_code))]

mod nearest;
pub mod protocol;
mod schema;
mod server;
mod transport;

#[cfg(feature = "client")]
pub mod client;

#[cfg(feature = "macros")]
pub use mcp_macros::{server, tool};

#[cfg(feature = "client")]
pub use client::Client;
pub use server::{
    Call, Context, FromContext, IntoCallToolResult, IntoTool, Json, Outcome, Param, Parameter, ProgressBar,
    ProgressError, ProgressMessage, ProgressNumber, ProgressTotal, Returns, Server, TestContext, Tool, ToolBuilder,
    ToolError, ToolFuture, ToolSet,
};
pub use transport::ServeError;

/// The README's snippets, which run as the tests of this page.
#[cfg(all(doctest, feature = "client", feature = "macros"))]
#[doc = include_str!("../../README.md")]
mod readme {}

/// What most servers need: `use mcp_server::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "client")]
    pub use crate::client::Client;
    pub use crate::protocol::{ContentBlock, Progress};
    pub use crate::{Context, Json, ServeError, Server, ToolError};
    #[cfg(feature = "macros")]
    pub use crate::{server, tool};
    pub use serde_json::json;
}

/// What the attributes write down. Nothing here is for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::server::{ToolHandler, ToolSet, tagged};
}
