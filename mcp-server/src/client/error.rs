//! Why there is no connection, and why a call has no result.

use std::fmt;
use std::io;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::protocol::{ErrorObject, ProtocolVersion};

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
    /// The pages of a list do not come to an end.
    EndlessList {
        /// What shows it.
        reason: String,
    },
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(error) => write!(f, "the server refused: {error}"),
            Self::Timeout { after, silent: false } => write!(f, "no answer within {after:?}"),
            Self::Timeout { after, silent: true } => write!(f, "no progress and no answer within {after:?}"),
            Self::Closed { reason } => write!(f, "the connection is closed: {reason}"),
            Self::InvalidArguments { reason } => write!(f, "the arguments must be a JSON object: {reason}"),
            Self::InvalidMeta { key, reason } => write!(f, "the `_meta` key `{key}` can't be set: {reason}"),
            Self::InvalidResult { path, reason } if path.is_empty() => write!(f, "the answer can't be read: {reason}"),
            Self::InvalidResult { path, reason } => write!(f, "the answer can't be read: {path}: {reason}"),
            Self::UnknownResultType { result_type } => {
                write!(f, "the answer is of an unknown kind: its `resultType` is `{result_type}`")
            }
            Self::InputRequired { input_requests, .. } => {
                f.write_str("the server asks for input, which this client can't give")?;
                for (at, name) in input_requests.keys().enumerate() {
                    write!(f, "{}`{name}`", if at == 0 { ": " } else { ", " })?;
                }
                Ok(())
            }
            Self::EndlessList { reason } => write!(f, "the list does not end: {reason}"),
        }
    }
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
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, items: &[impl fmt::Display]) -> fmt::Result {
    items.iter().enumerate().try_for_each(|(at, item)| write!(f, "{}{item}", if at == 0 { "" } else { ", " }))
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
