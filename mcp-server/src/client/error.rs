//! Why there is no connection, and why a call has no result.

use std::fmt;
use std::io;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::protocol::{CallToolResult, ErrorCode, ErrorObject, ProtocolVersion, clip};

/// Of the things that a server names in an answer so many are told.
const MAX_NAMED: usize = 8;

/// Why a call has no result.
///
/// A tool that failed is no such error: its result says so in
/// [`is_error`](crate::protocol::CallToolResult::is_error), and its text is for the model.
///
/// ```
/// use mcp_server::client::CallError;
/// use mcp_server::protocol::ErrorCode;
/// use mcp_server::{Client, Server};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::connect(Server::new("empty")).await?;
/// match client.call_tool("forecast", json!({})).await {
///     Err(CallError::Server(error)) => assert_ne!(error.code, ErrorCode::PARSE_ERROR),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The server refused: no such tool, for example.
    Server(ErrorObject),
    /// The answer took too long. The server has been told that nobody waits for it any more.
    Timeout {
        /// The limit that was reached.
        after: Duration,
        /// Whether it is a limit between two signs of life, not one of the whole call.
        silent: bool,
    },
    /// The connection has ended.
    Closed {
        /// How, as far as that is known: the exit status of a child, for example.
        reason: String,
    },
    /// The arguments were not sent, as they are no JSON object.
    InvalidArguments {
        /// What they are.
        reason: String,
    },
    /// The request was not sent, as one of its arguments is of the wrong type.
    InvalidArgument {
        /// The argument.
        name: String,
        /// What it is, and what it would have to be.
        reason: String,
    },
    /// The request was not sent, as the revision of the protocol that is spoken has no such method.
    NoSuchMethod {
        /// The method.
        method: String,
        /// The revision.
        version: ProtocolVersion,
    },
    /// The request was not sent, as a key of its `_meta` is none that may be set.
    InvalidMeta {
        /// The key.
        key: String,
        /// Why not.
        reason: &'static str,
    },
    /// The answer is not of the form that the method asks for.
    InvalidResult {
        /// The part of the result that is wrong, such as `content[0].text`; empty for the whole.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The result is of a kind that is not known here.
    UnknownResultType {
        /// Its `resultType`.
        result_type: String,
    },
    /// The server asks for input before it goes on, which this client can't give.
    InputRequired {
        /// What the server wants back, unread, with the answers.
        request_state: Option<String>,
        /// What it asks for, by the names under which it expects the answers.
        input_requests: Map<String, Value>,
    },
    /// The server asked for something that was refused here, so that the call can't go on.
    Refused {
        /// The name under which the server expects the answer.
        key: String,
        /// What it asks for, such as `sampling/createMessage`.
        method: String,
        /// Why it was refused.
        reason: String,
    },
    /// The server asked for something, and the handler for it has panicked, or has given an answer that must not be sent.
    HandlerFailed {
        /// The name under which the server expects the answer.
        key: String,
        /// What it asks for, such as `elicitation/create`.
        method: String,
        /// How it failed: for an answer that does not fit its form, all that is wrong with it.
        reason: String,
    },
    /// The server does not offer what is needed.
    Unsupported {
        /// The capability that it would have to declare, such as `resources.subscribe`.
        capability: &'static str,
    },
    /// The server asks for more and more input before it goes on.
    TooManyRounds {
        /// How many rounds are allowed.
        limit: usize,
    },
    /// The answer was cut off. The server may have done what it was asked for.
    Lost {
        /// How.
        reason: String,
    },
    /// The tool was not called, as its result could not be [checked](super::Call::check_output).
    OutputSchema {
        /// The tool.
        tool: String,
        /// Why not: what is wrong with its `outputSchema`, and where.
        reason: String,
    },
    /// The tool was called, and its structured result does not keep its `outputSchema`.
    InvalidOutput {
        /// The part of the result that is wrong, such as `structuredContent.cents`.
        path: String,
        /// The rule that it breaks, and what is there.
        reason: String,
        /// The result as it came.
        result: Box<CallToolResult>,
    },
    /// The pages of a list do not come to an end.
    EndlessList {
        /// What shows it.
        reason: String,
    },
    /// Over HTTP: the server refused, and not in the words of the protocol.
    Http {
        /// The status, such as 401.
        status: u16,
        /// What it said: the challenge, if it wants a token, and the beginning of the rest.
        reason: String,
    },
    /// Over HTTP: nobody could be reached. Nothing was sent.
    Unreachable {
        /// Why not.
        reason: String,
    },
}

impl CallError {
    /// Whether the server has said that there is no such thing, as an answer to
    /// [`read_resource`](super::Client::read_resource): "-32602 and -32002 alike" (Resources, Error Handling), as older
    /// servers have a code of their own for it. In other answers -32602 stands for all faults of the params.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// One order; `None` is an order that does not exist.
    /// #[resource("shop://orders/{id}")]
    /// async fn order(id: u32) -> Option<String> {
    ///     (id < 100).then(|| format!("order {id}"))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("shop").resource(order)).await?;
    /// let error = client.read_resource("shop://orders/100").await.unwrap_err();
    /// assert!(error.is_not_found());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Specification: [Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#error-handling).
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Server(error) if [ErrorCode::INVALID_PARAMS, ErrorCode::RESOURCE_NOT_FOUND].contains(&error.code))
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(error) => write!(f, "the server refused: {error}"),
            Self::Timeout { after, silent: false } => write!(f, "no answer within {after:?}"),
            Self::Timeout { after, silent: true } => write!(f, "no progress and no answer within {after:?}"),
            Self::Closed { reason } => write!(f, "the connection is closed: {reason}"),
            Self::InvalidArguments { reason } => write!(f, "the arguments must be a JSON object: {reason}"),
            Self::InvalidArgument { name, reason } => write!(f, "the argument `{name}` can't be sent: {reason}"),
            Self::NoSuchMethod { method, version } => write!(f, "the protocol {version} has no method `{method}`"),
            Self::InvalidMeta { key, reason } => write!(f, "the `_meta` key `{key}` can't be set: {reason}"),
            Self::InvalidResult { path, reason } if path.is_empty() => write!(f, "the answer can't be read: {reason}"),
            Self::InvalidResult { path, reason } => write!(f, "the answer can't be read: {path}: {reason}"),
            Self::UnknownResultType { result_type } => {
                write!(f, "the answer is of an unknown kind: its `resultType` is `{}`", clip(result_type))
            }
            Self::InputRequired { input_requests, .. } => {
                f.write_str("the server asks for input, which this client can't give")?;
                for (at, (name, request)) in input_requests.iter().take(MAX_NAMED).enumerate() {
                    write!(f, "{}`{}`", if at == 0 { ": " } else { ", " }, clip(name))?;
                    if let Some(method) = request.get("method").and_then(Value::as_str) {
                        write!(f, " ({})", clip(method))?;
                    }
                }
                match input_requests.len().saturating_sub(MAX_NAMED) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            Self::Refused { key, method, reason } => {
                write!(f, "the server asks for `{key}` ({method}), which was refused: {reason}")
            }
            Self::HandlerFailed { key, method, reason } => {
                write!(f, "the server asks for `{key}` ({method}), which has no answer: {reason}")
            }
            Self::Unsupported { capability } => {
                write!(f, "the server does not offer this: it did not declare the capability `{capability}`")
            }
            Self::TooManyRounds { limit } => write!(f, "the server has asked for input in more than {limit} rounds"),
            Self::Lost { reason } => write!(f, "the answer was lost: {reason}"),
            Self::OutputSchema { tool, reason } => {
                write!(f, "the tool `{tool}` was not called, as its result can't be checked: {reason}")
            }
            Self::InvalidOutput { path, reason, .. } => {
                write!(f, "the result does not keep the `outputSchema` of the tool: {path}: {reason}")
            }
            Self::EndlessList { reason } => write!(f, "the list does not end: {reason}"),
            Self::Http { status, reason } => write_status(f, *status, reason),
            Self::Unreachable { reason } => write!(f, "the server can't be reached: {reason}"),
        }
    }
}

/// A refusal of HTTP: its status by number and name, and what the server said.
fn write_status(f: &mut fmt::Formatter<'_>, status: u16, reason: &str) -> fmt::Result {
    write!(f, "the server answered with the status {status}")?;
    #[cfg(feature = "client-http")]
    if let Some(name) = http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()) {
        write!(f, " {name}")?;
    }
    if reason.is_empty() { Ok(()) } else { write!(f, ": {reason}") }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Server(error) => Some(error),
            _ => None,
        }
    }
}

/// Why there is no connection.
///
/// ```
/// use mcp_server::client::{Client, ConnectError};
/// use tokio::process::Command;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let error = Client::spawn(Command::new("/no/such/program")).await.unwrap_err();
/// assert!(matches!(error, ConnectError::Spawn { .. }));
/// assert_eq!(error.to_string(), "could not start `/no/such/program`");
/// # });
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// The program could not be started.
    Spawn {
        /// The program.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// It took too long.
    Timeout {
        /// The limit that was reached.
        after: Duration,
    },
    /// The server ended the connection before it was made.
    Closed {
        /// How, as far as that is known: the exit status of a child, for example.
        reason: String,
    },
    /// The server refused.
    Server(ErrorObject),
    /// There is no revision of the protocol that both sides speak.
    NoCommonVersion {
        /// Those that this client may use.
        ours: Vec<ProtocolVersion>,
        /// Those that the server named, if any.
        theirs: Vec<String>,
    },
    /// The answer of the server can't be read.
    InvalidResult {
        /// The method that it is an answer to.
        method: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The URL is none that a server can be reached at.
    InvalidUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// A header can't be sent.
    InvalidHeader {
        /// Its name.
        name: String,
        /// What is wrong with it, without the value.
        reason: String,
    },
    /// Nobody could be reached.
    Unreachable {
        /// Why not.
        reason: String,
    },
    /// Over HTTP: the server refused, and not in the words of the protocol.
    Http {
        /// The status, such as 401.
        status: u16,
        /// What it said: the challenge, if it wants a token, and the beginning of the rest.
        reason: String,
    },
    /// Over HTTP: the server answered neither as a stateless one nor as one with a handshake.
    NeitherWay {
        /// What came for `server/discover`.
        discover: String,
        /// What came for `initialize`.
        initialize: String,
        /// Whether it looks as if it had the transport of 2024-11-05, HTTP+SSE, which is not spoken here.
        may_be_http_sse: bool,
    },
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn { program, .. } => write!(f, "could not start `{program}`"),
            Self::Timeout { after } => write!(f, "the server did not get ready within {after:?}"),
            Self::Closed { reason } => write!(f, "the connection was closed: {reason}"),
            Self::Server(error) => write!(f, "the server refused the connection: {error}"),
            Self::NoCommonVersion { ours, theirs } => {
                f.write_str("no common protocol version: this client may use ")?;
                list(f, ours)?;
                if theirs.is_empty() {
                    f.write_str(", and the server speaks none of them")
                } else {
                    f.write_str(", the server speaks ")?;
                    list(f, theirs)
                }
            }
            Self::InvalidResult { method, reason } => write!(f, "the answer to `{method}` can't be read: {reason}"),
            Self::InvalidUrl { reason } => write!(f, "the URL of the server can't be used: {reason}"),
            Self::InvalidHeader { name, reason } => write!(f, "the header `{name}` can't be sent: {reason}"),
            Self::Unreachable { reason } => write!(f, "the server can't be reached: {reason}"),
            Self::Http { status, reason } => write_status(f, *status, reason),
            Self::NeitherWay { discover, initialize, may_be_http_sse } => {
                write!(f, "the server answers in no way that is known here; to `server/discover`: {discover}; ")?;
                write!(f, "to `initialize`: {initialize}")?;
                if *may_be_http_sse {
                    f.write_str(
                        "; it may be one of HTTP+SSE, the transport of 2024-11-05, which is not spoken here: look for \
                         another URL, which often ends in `/mcp`",
                    )?;
                }
                Ok(())
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    let separated = |(at, item): (usize, _)| write!(f, "{}{item}", if at == 0 { "" } else { ", " });
    items.iter().take(MAX_NAMED).map(|item| clip(&item.to_string())).enumerate().try_for_each(separated)?;
    match items.len().saturating_sub(MAX_NAMED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Spawn { source, .. } => Some(source),
            Self::Server(error) => Some(error),
            _ => None,
        }
    }
}
