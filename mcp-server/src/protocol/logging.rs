//! How much a log message matters.
//!
//! Specification: [Logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How much a log message matters, ordered from the least to the most, as in
/// [RFC 5424](https://www.rfc-editor.org/rfc/rfc5424).
///
/// ```
/// use mcp_server::protocol::LoggingLevel;
///
/// let level: LoggingLevel = "warning".parse().unwrap();
/// assert!(LoggingLevel::Info < level && level < LoggingLevel::Emergency);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoggingLevel {
    /// For those who look for a fault.
    Debug,
    /// What happens as a rule.
    Info,
    /// What happens as a rule and matters.
    Notice,
    /// Something may go wrong.
    Warning,
    /// Something went wrong.
    Error,
    /// A part of the system has failed.
    Critical,
    /// Somebody must act at once.
    Alert,
    /// The system cannot be used.
    Emergency,
}

impl LoggingLevel {
    const ALL: [Self; 8] = [
        Self::Debug,
        Self::Info,
        Self::Notice,
        Self::Warning,
        Self::Error,
        Self::Critical,
        Self::Alert,
        Self::Emergency,
    ];

    /// All names on the wire, for an error.
    pub(crate) fn names() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// The name on the wire, such as `warning`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }
}

impl fmt::Display for LoggingLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for LoggingLevel {
    type Err = UnknownLevel;

    /// The names on the wire, and no others.
    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        Self::ALL.into_iter().find(|level| level.as_str() == text).ok_or(UnknownLevel)
    }
}

/// A text that names no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownLevel;

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown logging level; known are {}", LoggingLevel::names())
    }
}

impl std::error::Error for UnknownLevel {}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LOG-4
    #[test]
    fn levels_ascend_and_have_one_name_everywhere() {
        assert!(LoggingLevel::ALL.is_sorted());
        let names = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
        for (level, name) in LoggingLevel::ALL.into_iter().zip(names) {
            assert_eq!(serde_json::to_value(level).unwrap(), name);
            assert_eq!(serde_json::from_value::<LoggingLevel>(name.into()).unwrap(), level);
            assert_eq!(name.parse(), Ok(level));
            assert_eq!(level.to_string(), name);
        }
        let error = "Warning".parse::<LoggingLevel>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown logging level; known are debug, info, notice, warning, error, critical, alert, emergency"
        );
    }
}
