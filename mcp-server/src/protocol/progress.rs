//! How far a request has come.
//!
//! Specification: [Progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress).

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::json::RawJson;
use super::message::{integral, write_integer};

/// What a client chose to recognise the reports of one request by: a string or an integer.
///
/// It is kept as the JSON that came, so that it goes back unchanged: `7` and `"7"` are two tokens, `0` and `""` are
/// tokens too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProgressToken(Box<str>);

impl ProgressToken {
    /// `None` when the JSON is neither a string nor an integer.
    pub(crate) fn read(json: RawJson<'_>) -> Option<Self> {
        let json = json.get();
        (json.starts_with('"') || integral(json).is_some()).then(|| Self(json.into()))
    }

    /// The token as an integer that fits 64 bits, which is what our own client sends.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        integral(&self.0).and_then(|token| token.try_into().ok())
    }

    /// The token as JSON.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl From<i64> for ProgressToken {
    fn from(token: i64) -> Self {
        Self(token.to_string().into())
    }
}

impl From<&str> for ProgressToken {
    fn from(token: &str) -> Self {
        Self(serde_json::Value::from(token).to_string().into())
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ProgressToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ProgressToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Self::read(raw.into()).ok_or_else(|| serde::de::Error::custom("a progress token is a string or an integer"))
    }
}

/// One report, as the client reads it.
///
/// ```
/// use mcp_server::protocol::Progress;
///
/// let report = Progress { done: 2.0, total: Some(3.0), message: Some("exported B42".into()) };
/// assert_eq!(report.to_string(), "2/3 exported B42");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How far the work has come; it grows with each report.
    pub done: f64,
    /// How far there is to go, when that is known.
    pub total: Option<f64>,
    /// What has just been done, for a person to read.
    pub message: Option<String>,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.done)?;
        if let Some(total) = self.total {
            write!(f, "/{total}")?;
        }
        if let Some(message) = &self.message {
            write!(f, " {message}")?;
        }
        Ok(())
    }
}

/// A number that an author reports: integers stay integers on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// As the peers will compare it.
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            // The nearest double is what a JSON reader takes it for.
            Self::Integer(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    /// Must be finite: JSON knows no other numbers.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(number) => write_integer(out, number),
            Self::Float(number) => serde_json::to_writer(out, &number).expect("a Vec takes every byte"),
        }
    }
}

/// The part of a report that is the same for all reports of a call, up to the number.
pub(crate) fn write_progress_head(out: &mut Vec<u8>, token: &ProgressToken) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"#);
    out.extend_from_slice(token.as_json().as_bytes());
    out.extend_from_slice(br#","progress":"#);
}

/// The params of a report, as its reader needs them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProgressParams {
    pub(crate) progress_token: ProgressToken,
    progress: f64,
    #[serde(default)]
    total: Option<f64>,
    #[serde(default)]
    message: Option<String>,
}

impl ProgressParams {
    pub(crate) fn progress(self) -> Progress {
        Progress { done: self.progress, total: self.total, message: self.message }
    }
}
