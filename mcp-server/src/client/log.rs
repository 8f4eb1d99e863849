//! What a server logs for its client.
//!
//! Specification: [Logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).

use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::call::Call;
use super::{CallError, Client, results};
use crate::protocol::LoggingLevel;

/// A log message of a server.
///
/// ```
/// use mcp_server::client::LogMessage;
///
/// let message: LogMessage =
///     serde_json::from_str(r#"{ "level": "warning", "logger": "import", "data": "2 orders skipped" }"#)?;
/// assert_eq!(message.to_string(), "warning import: 2 orders skipped");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct LogMessage {
    /// How much it matters.
    pub level: LoggingLevel,
    /// The part of the server that speaks.
    #[serde(default)]
    pub logger: Option<String>,
    /// What it says: words, or any other JSON.
    #[serde(default)]
    pub data: Value,
}

impl fmt::Display for LogMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.level)?;
        if let Some(logger) = &self.logger {
            write!(f, " {logger}")?;
        }
        match &self.data {
            Value::String(text) => write!(f, ": {text}"),
            data => write!(f, ": {data}"),
        }
    }
}

impl Client {
    /// Changes from which level on the server is asked to log, for [`on_log`](super::ClientBuilder::on_log): a stateless
    /// server with each request from now on, an older one at once.
    ///
    /// A call can have a level of its own: [`meta("io.modelcontextprotocol/logLevel", …)`](Call::meta).
    ///
    /// Specification: [Logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).
    ///
    /// ```
    /// use mcp_server::protocol::LoggingLevel;
    /// use mcp_server::{Client, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("shop").logging()).await?;
    /// client.set_log_level(LoggingLevel::Debug).await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When an older server does not log, or refuses.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), CallError> {
        if !self.protocol_version().is_modern() {
            if self.server_capabilities().logging.is_none() {
                return Err(CallError::Unsupported { capability: "logging" });
            }
            let members = format!(r#""level":"{level}""#);
            Call::new(self, "logging/setLevel", Ok(members), results::complete::<IgnoredAny>).await?;
        }
        *self.link.connection.log_level() = Some(level);
        Ok(())
    }

    /// The level that each request names: none after a handshake, where the server keeps it.
    pub(super) fn log_level_of_requests(&self) -> Option<LoggingLevel> {
        let level = *self.link.connection.log_level();
        level.filter(|_| self.protocol_version().is_modern())
    }
}
