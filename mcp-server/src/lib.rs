//! Write servers for the [Model Context Protocol](https://modelcontextprotocol.io) as plain functions.
//!
//! Put [`#[tool]`](tool) on an `async fn` and give it to a [`Server`]. Its parameters become the JSON Schema, its doc
//! comments the descriptions, and what it returns the result. [`#[resource("…")]`](macro@resource) and
//! [`#[prompt]`](macro@prompt) do the same for what clients read and what their users choose.
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
//! - [`tool`](macro@tool), [`resource`](macro@resource), [`prompt`](macro@prompt) and [`server`](macro@server): every
//!   option of the attributes.
//! - [`Context`]: progress, log messages, questions to the client, cancellation, and what the client says about itself.
//!   [`Context::input_required`]: questions under keys of your own.
//! - [`IntoCallToolResult`], [`IntoReadResourceResult`], [`IntoGetPromptResult`]: what a tool, a resource and a prompt may
//!   return. [`Parameter`] and [`TextParameter`]: what they may take. [`ToolError`] and [`RequestError`]: how they fail.
//! - [`Server`]: limits and times, with their defaults. [`State`]: what calls share. [`ServerHandle`]: changes while a
//!   server is served.
//! - [`ToolBuilder::call`]: tools that are known only when the program runs. [`Server::mount`]: servers in a server.
//! - [`layer`]: what stands around every request: limits of time and number, and traces. [`apps`]: views in HTML.
//! - `Server::serve_http` and `Http`: Streamable HTTP, and a `tower::Service` (feature `http`); `auth`: who may call.
//! - `Client`: the other side, for tests and programs (feature `client`; with `client-http` at a URL too).
//! - [`protocol`]: what is on the wire, as plain data.
//! - `mistakes`: what the errors of the attributes mean.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `macros` | yes | `#[tool]`, `#[resource]`, `#[prompt]` and `#[server]` |
//! | `client` | no | `Client`: servers in memory, as child processes, over streams and Unix sockets |
//! | `client-http` | no | `client`, and `Client::http` for servers at a URL |
//! | `http` | no | `Server::serve_http`, and `HttpService` to mount elsewhere |
//! | `auth` | no | `http`, and `auth::JwtVerifier` for the tokens of an authorization server |
//! | `tracing-layer` | no | `LogLayer`: what a tool logs with `tracing` reaches the client that asked for it |
//!
//! Is something not found? `Client` needs the feature `client`; `Client::http`, `header` and `bearer_token` need
//! `client-http`; `Server::serve_http` and `Server::http` need `http`.
//!
//! # What does not work
//!
//! - A tool whose future is not `Send`, such as one that holds an `Rc` over an `.await`: calls may move between
//!   threads. The compiler names the value.
//! - With `panic = "abort"` in the profile a panic in one tool ends the process. Leave it out.
//! - A server needs a tokio runtime with I/O and time enabled, as `#[tokio::main]` has.
//! - HTTP is in clear text: encryption is for the proxy in front. The transport of 2024-11-05, HTTP with two addresses,
//!   is not served; that revision is, on standard input and output.
//!
//! # How it is built
//!
//! ```text
//! bytes ─► transport ─► protocol ─► server::dispatch ─► server::catalog ─► generated code ─► the author's function
//! bytes ◄─ transport ◄─ server::output ◄─ server::outcome ◄─ server::call ◄────────────────────────┘
//! ```
//!
//! No arrow points back: `protocol` ← `schema` ← `server` ← `transport` ← `client`. To add a method of the protocol,
//! touch `protocol` for its data, `server::dispatch` for its line, and one room of its own for what it does. To add a
//! kind of thing with a list of its own, touch five: its data and how each revision sees it in `protocol`, one file that
//! describes it and one that lists and finds it in `server` (as `prompt` and `prompts` do), a registry in
//! `server::catalog`, its lines in `server::dispatch`, and a `Kind` in the macros. `server::legacy` is the only place
//! that knows the handshake and what belonged to it.
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
//! **A stateless HTTP call is its exchange.** The body of the response carries the call: to read it is to run it, and to
//! drop it is to cancel it, so that nothing is spawned and nothing is left when a client is gone. Calls of older sessions
//! have tasks of their own, since there a broken connection ends nothing.
//!
//! **A question ends its round.** A stateless connection has no answers that come while a request runs. So a handler that
//! asks is dropped, the client gets its questions together with the sealed answers and steps so far, and the handler runs
//! again from the start when the client comes back. An answer belongs to a question by the words of the question, so
//! that nobody agrees to one sum and pays another. Older connections could be served the same way, by asking over the
//! wire and running the handler again; but there the handler can simply wait, which needs no second run and leaves its
//! reports in one row.
//!
//! **A change is a set, not a queue.** What a subscriber was not told yet stands once, however often it happened, so that
//! one who does not read costs no memory and holds up nobody.
//!
//! **A client's call is one state machine.** It goes from request to request, as rounds with questions and a second try
//! need it, in the future of its caller, and dropping that gives it up. What a connection reads goes into a queue for each
//! request, in wire order: the caller takes the reports from there, and then the answer, so that no task can overtake
//! another. Streams and HTTP differ only in how a request goes out.
//!
//! **Arguments stay raw JSON** until the author's types read them. Each parameter whose schema serde enforces by itself
//! is read without a detour; for the others, and whenever something is wrong, the schema itself is held against the
//! argument, so that schema and decoder are one rule and all faults are told at once.

// Both sides share the protocol: without the client some of it is only written, or only read.
#![cfg_attr(not(feature = "client"), allow(dead_code))]

mod nearest;
mod percent;
#[cfg(feature = "__pieces")]
#[doc(hidden)]
pub mod pieces;
pub mod protocol;
mod schema;
mod server;
mod this_machine;
mod transport;

#[cfg(feature = "client")]
pub mod client;

#[cfg(feature = "macros")]
pub use mcp_macros::{prompt, resource, server, tool};

#[cfg(feature = "client")]
pub use client::Client;
#[cfg(feature = "tracing-layer")]
pub use server::LogLayer;
pub use server::{
    AddError, AskError, Base64, Call, Change, Completer, Completing, Context, Elicited, Extension, Fanout, FromContext,
    InputRequired, InputRequiredResult, IntoCallToolResult, IntoCompletion, IntoGetPromptResult, IntoOtherResult,
    IntoPrompt, IntoReadResourceResult, IntoResource, IntoTool, InvalidStateKey, Json, OtherResult, Outcome, Param,
    Parameter, Principal, ProgressBar, ProgressError, ProgressMessage, ProgressNumber, ProgressTotal, Prompt,
    PromptBuilder, PromptFuture, RequestError, Resource, ResourceBuilder, ResourceFuture, Returns, Server, ServerBlock,
    ServerHandle, ServerResult, State, StateKey, TestContext, TextParameter, Tool, ToolArgument, ToolBuilder,
    ToolError, ToolFuture, apps, layer,
};
pub use transport::ServeError;
#[cfg(feature = "http")]
pub use transport::http::{Http, HttpBody, HttpService, auth};

/// The README's snippets, which run as the tests of this page.
#[cfg(all(doctest, feature = "auth", feature = "client-http", feature = "macros"))]
#[doc = include_str!("../../README.md")]
mod readme {}

/// What most servers need: `use mcp_server::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "client")]
    pub use crate::client::Client;
    pub use crate::protocol::{ContentBlock, Progress};
    pub use crate::{Context, Elicited, Json, RequestError, ServeError, Server, State, ToolError};
    #[cfg(feature = "macros")]
    pub use crate::{prompt, resource, server, tool};
    pub use serde_json::json;
}

// Only the documentation has it: a program need not carry it along.
#[cfg(all(doc, feature = "macros"))]
#[doc = include_str!("mistakes.md")]
pub mod mistakes {}

/// What the attributes write down. Nothing here is for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::server::{Offer, PromptHandler, Repeatable, ResourceHandler, ServerBlock, ToolHandler, tagged};
}
