//! A client for programs and tests: it reaches a server in memory, as a child process, over streams, or at a URL.
//!
//! ```
//! use mcp_server::prelude::*;
//!
//! /// Add two numbers.
//! #[tool]
//! async fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let client = Client::connect(Server::new("calculator").tool(add)).await?;
//! let result = client.call_tool("add", json!({ "a": 2, "b": 3 })).await?;
//! assert_eq!(result.text(), "5");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # What it promises
//!
//! - The reports of a call are handed on in the order in which the server sent them, one at a time, and all of them
//!   before the call is done, even if one read has brought them together with the answer.
//! - A call has exactly one outcome. One that is dropped or takes too long is cancelled at the server, and leaves
//!   nothing behind.
//! - What a server does wrong costs at most the call that it belongs to: noise among the messages, reports and answers
//!   that nobody waits for and lines without an end are passed over, in bounded memory.
//! - What a server asks reaches the handlers that were [set](ClientBuilder::on_elicit), and no answer goes out that does
//!   not fit its question. Who asks in vain, or on and on, ends its own call at most.
//! - When the client goes, its tasks and its child process go too.

// Only HTTP has use for some of what is known of a request and of an answer.
#![cfg_attr(not(feature = "client-http"), allow(dead_code))]

mod answering;
mod asked;
mod builder;
mod cache;
mod call;
mod changes;
mod child;
mod connection;
mod era;
mod error;
mod extensions;
mod handlers;
#[cfg(feature = "client-http")]
mod http;
mod known;
mod link;
mod listen;
mod listener;
mod log;
mod output;
mod pages;
mod pending;
mod recorded;
mod request;
mod requests;
mod results;
mod rounds;
mod streams;

use std::fmt;
#[cfg(unix)]
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Command;

pub use builder::ClientBuilder;
pub use call::{Call, CallTool, Calling, Drive, Prepared, ProgressStream, Quiet};
pub use error::{CallError, ConnectError};
pub use handlers::Refused;
pub use listen::{Subscription, SubscriptionEvent};
pub use log::LogMessage;
pub use pages::{Listed, Pages};
pub use recorded::Recorded;

use crate::protocol::{Implementation, LOG_LEVEL, PROGRESS_TOKEN, ProtocolVersion, ServerCapabilities};
use crate::server::Server;
use builder::Settings;
use era::Agreed;
use link::Link;

/// A connection to a server.
///
/// Both eras of the protocol are spoken: a server is asked for the stateless one first, and shaken hands with when it
/// does not know that. Share a client between tasks by an `Arc`; its methods take `&self`.
pub struct Client {
    link: Link,
    agreed: Agreed,
    request_timeout: Option<Duration>,
    max_rounds: usize,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What has been read and what is on its way may be secret, and large.
        let mut debug = f.debug_struct("Client");
        debug.field("protocol_version", &self.agreed.version).field("server_info", &self.agreed.server);
        debug.finish_non_exhaustive()
    }
}

impl Client {
    fn new(link: Link, agreed: Agreed, settings: &Settings) -> Self {
        Self { link, agreed, request_timeout: settings.request_timeout, max_rounds: settings.max_rounds }
    }

    /// Serves `server` in this program, and connects to it. It ends with the client.
    ///
    /// What goes between them is the same as over a pipe, which makes this the way to test a server:
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// Say hello.
    /// #[tool]
    /// async fn greet(name: String) -> String {
    ///     format!("Hello, {name}!")
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("greeter").tool(greet)).await?;
    /// let result = client.call_tool("greet", json!({ "name": "Ada" })).await?;
    /// assert_eq!(result.text(), "Hello, Ada!");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When both sides speak no common revision of the protocol, or when what the server needs for its
    /// [`lifespan`](Server::lifespan) can't be opened.
    pub async fn connect(server: Server) -> Result<Self, ConnectError> {
        Self::builder().connect(server).await
    }

    /// Starts a program, and connects to its standard input and output.
    ///
    /// ```no_run
    /// use mcp_server::prelude::*;
    /// use tokio::process::Command;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::spawn(Command::new("shop")).await?;
    /// for tool in client.list_tools().await? {
    ///     println!("{}", tool.name);
    /// }
    /// client.close().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the program can't be started, ends too early, does not answer in time, refuses, or speaks no common
    /// revision of the protocol.
    pub async fn spawn(command: impl Into<Command>) -> Result<Self, ConnectError> {
        Self::builder().spawn(command).await
    }

    /// Connects to whoever is at the other end of a pair of streams, such as a Unix socket, one message a line.
    ///
    /// ```
    /// use mcp_server::{Client, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let (ours, theirs) = tokio::io::duplex(1024);
    /// let (reader, writer) = tokio::io::split(theirs);
    /// tokio::spawn(Server::new("far away").serve(reader, writer));
    ///
    /// let (reader, writer) = tokio::io::split(ours);
    /// let client = Client::streams(reader, writer).await?;
    /// assert_eq!(client.server_info().unwrap().name, "far away");
    /// # Ok::<(), mcp_server::client::ConnectError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When the server does not answer in time, refuses, or speaks no common revision of the protocol.
    pub async fn streams<R, W>(reader: R, writer: W) -> Result<Self, ConnectError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::builder().streams(reader, writer).await
    }

    /// Connects to a server that listens on a Unix socket, one message a line.
    ///
    /// ```
    /// use mcp_server::{Client, Server};
    /// use tokio::net::UnixListener;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let folder = std::env::temp_dir().join(format!("mcp-server-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("shop.sock");
    /// let listener = UnixListener::bind(&path)?;
    /// tokio::spawn(async move {
    ///     let (reader, writer) = listener.accept().await.unwrap().0.into_split();
    ///     Server::new("shop").serve(reader, writer).await
    /// });
    ///
    /// let client = Client::unix(&path).await?;
    /// assert_eq!(client.server_info().unwrap().name, "shop");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When nobody listens there, the server does not answer in time, refuses, or speaks no common revision of the
    /// protocol.
    #[cfg(unix)]
    pub async fn unix(path: impl AsRef<Path>) -> Result<Self, ConnectError> {
        Self::builder().unix(path).await
    }

    /// Sets up a client before it connects: its name, its limits, its hooks.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcp_server::{Client, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::builder()
    ///     .name("desk")
    ///     .on_stray(|line| eprintln!("no message: {line}"))
    ///     .connect(Server::new("shop"))
    ///     .await?;
    /// # Ok::<(), mcp_server::client::ConnectError>(())
    /// # }).unwrap();
    /// ```
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// Calls a tool. The arguments are anything that becomes a JSON object: `json!({ … })`, a map, a struct of yours.
    ///
    /// The call is sent when it is awaited; [`CallTool`] has what can be set before. A tool that fails gives a result
    /// with [`is_error`](crate::protocol::CallToolResult::is_error).
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// Divide a by b.
    /// #[tool]
    /// async fn divide(a: i64, b: i64) -> Result<i64, ToolError> {
    ///     a.checked_div(b).ok_or(ToolError::new("b must not be 0"))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("calculator").tool(divide)).await?;
    /// let result = client.call_tool("divide", json!({ "a": 6, "b": 3 })).await?;
    /// assert_eq!(result.text(), "2");
    /// let result = client.call_tool("divide", json!({ "a": 6, "b": 0 })).await?;
    /// assert!(result.is_error);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, a [`CallError`]: the server refuses, does not answer in time or not well, or has gone; or the
    /// arguments are no JSON object.
    pub fn call_tool(&self, name: impl Into<String>, arguments: impl Serialize) -> CallTool<'_> {
        let arguments = requests::text_of(&arguments).and_then(|json| match json.starts_with('{') {
            true => Ok(json),
            false => Err(format!("they are `{}`", json.chars().take(60).collect::<String>())),
        });
        let name = name.into();
        let (arguments, members) = match arguments {
            Ok(arguments) => {
                let members = format!(r#""name":{},"arguments":{arguments}"#, json(&name));
                (Some(arguments), Ok(members))
            }
            Err(reason) => (None, Err(CallError::InvalidArguments { reason })),
        };
        let mut call = Call::new(self, "tools/call", members, results::call_tool).about(name);
        call.spec_mut().arguments = arguments;
        call
    }

    /// Who the server says it is: for people and logs, as it is not to be trusted. Stateless servers need not say it.
    pub fn server_info(&self) -> Option<&Implementation> {
        self.agreed.server.as_ref()
    }

    /// The revision of the protocol that is spoken.
    pub fn protocol_version(&self) -> ProtocolVersion {
        self.agreed.version
    }

    /// What the server offers.
    pub fn server_capabilities(&self) -> &ServerCapabilities {
        &self.agreed.capabilities
    }

    /// How to make good use of the server as a whole, for a model.
    pub fn instructions(&self) -> Option<&str> {
        self.agreed.instructions.as_deref()
    }

    /// Ends the connection, and waits until the server has ended too. It always comes back.
    ///
    /// A child process finds its input at an end. If it goes on for longer than the
    /// [`shutdown_timeout`](ClientBuilder::shutdown_timeout) it gets `SIGTERM`, a second later `SIGKILL`. Its exit
    /// status is returned; other servers have none.
    ///
    /// Dropping the client ends the connection at once, and what is still queued is not sent. A child process then gets its
    /// time to end in the background, as long as the runtime lives; when that ends too, it is killed. A session with an
    /// older server over HTTP is only ended at the server by this method.
    ///
    /// ```no_run
    /// use mcp_server::prelude::*;
    /// use tokio::process::Command;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::spawn(Command::new("shop")).await?;
    /// let status = client.close().await;
    /// assert!(status.is_some_and(|status| status.success()));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn close(mut self) -> Option<ExitStatus> {
        self.link.close().await
    }

    /// Appends the `_meta` member to the params of a request, when there is something to say in it.
    fn write_meta(&self, out: &mut Vec<u8>, token: Option<u64>, more: &Map<String, Value>) {
        let level = self.log_level_of_requests().filter(|_| !more.contains_key(LOG_LEVEL));
        if self.agreed.meta.is_empty() && token.is_none() && more.is_empty() {
            return;
        }
        separate(out);
        out.extend_from_slice(br#""_meta":{"#);
        out.extend_from_slice(&self.agreed.meta);
        if let Some(level) = level {
            separate(out);
            out.extend_from_slice(format!(r#""{LOG_LEVEL}":"{level}""#).as_bytes());
        }
        if let Some(token) = token {
            separate(out);
            out.extend_from_slice(format!(r#""{PROGRESS_TOKEN}":{token}"#).as_bytes());
        }
        for (key, value) in more {
            separate(out);
            serde_json::to_writer(&mut *out, key).expect("a Vec takes every byte");
            out.push(b':');
            serde_json::to_writer(&mut *out, value).expect("a Vec takes every byte");
        }
        out.push(b'}');
    }
}

/// A text as JSON.
fn json(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

/// The comma between two members of an object.
fn separate(out: &mut Vec<u8>) {
    if !out.ends_with(b"{") {
        out.push(b',');
    }
}
