//! `_meta`: what a request says about itself.
//!
//! Specification: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta).

use std::borrow::Cow;

use super::json::{Fault, RawJson, Scanner};
use super::{ErrorObject, LoggingLevel};

/// How the keys of the protocol itself begin.
pub(crate) const RESERVED_PREFIX: &str = "io.modelcontextprotocol/";
/// The key of the version that a request is written in.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of what the client of a request can do.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of who sent a request.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The key of who answered.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key of the level from which on log messages are wanted.
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The key of the stream that a notification belongs to.
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The key of the token that asks for reports.
pub(crate) const PROGRESS_TOKEN: &str = "progressToken";

/// Why a key is none for a caller of ours to set in a request; `None`: it is fine.
#[cfg(feature = "client")]
pub(crate) fn fault_of_key(key: &str) -> Option<&'static str> {
    if [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, PROGRESS_TOKEN].contains(&key) {
        return Some("it is set by the client itself");
    }
    if let Some(fault) = fault_of_form(key) {
        return Some(fault);
    }
    // "any prefix where the second label is `modelcontextprotocol` or `mcp` is reserved".
    let prefix = key.split_once('/').map_or("", |(prefix, _)| prefix);
    if prefix.split('.').nth(1).is_some_and(|label| ["modelcontextprotocol", "mcp"].contains(&label))
        && key != LOG_LEVEL
    {
        return Some("its prefix is reserved for the protocol");
    }
    None
}

/// Why a text is no identifier of an extension: "`_meta` key rules with a mandatory prefix" (Extension Negotiation).
pub(crate) fn fault_of_extension(id: &str) -> Option<&'static str> {
    if !id.contains('/') {
        return Some("it needs a prefix, such as `com.example/`");
    }
    fault_of_form(id)
}

/// Why a key breaks the grammar of keys; `None`: it is fine.
fn fault_of_form(key: &str) -> Option<&'static str> {
    let alphanumeric = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name.as_bytes()),
        None => (None, key.as_bytes()),
    };
    // "unless empty, MUST begin and end with an alphanumeric character" (basic, `_meta`).
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let well_formed = alphanumeric(name.first()) && alphanumeric(name.last()) && name.iter().all(inner);
    if !name.is_empty() && !well_formed {
        return Some("its name must be of letters, digits, `-`, `_` and `.`, with a letter or digit at both ends");
    }
    let labels: Vec<&[u8]> = prefix.iter().flat_map(|prefix| prefix.as_bytes().split(|byte| *byte == b'.')).collect();
    let label = |label: &&[u8]| {
        label.first().is_some_and(u8::is_ascii_alphabetic)
            && alphanumeric(label.last())
            && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    };
    if !labels.iter().all(label) {
        return Some("each label of its prefix must be of letters, digits and `-`, such as `com.example/`");
    }
    None
}

/// The `_meta` of a message: its known members, each still raw JSON.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meta<'a> {
    /// The whole object.
    pub(crate) raw: Option<RawJson<'a>>,
    pub(crate) protocol_version: Option<RawJson<'a>>,
    pub(crate) client_capabilities: Option<RawJson<'a>>,
    pub(crate) client_info: Option<RawJson<'a>>,
    pub(crate) progress_token: Option<RawJson<'a>>,
    log_level: Option<RawJson<'a>>,
}

impl<'a> Meta<'a> {
    /// Nothing is read from what is no object.
    pub(super) fn scan(scanner: &mut Scanner<'a>) -> Result<Self, Fault> {
        let mut meta = Self::default();
        if scanner.peek() != Some(b'{') {
            return Ok(meta);
        }
        let raw = scanner.members(|scanner, name| {
            let value = Some(scanner.value()?);
            match &*name {
                PROTOCOL_VERSION => meta.protocol_version = value,
                CLIENT_CAPABILITIES => meta.client_capabilities = value,
                CLIENT_INFO => meta.client_info = value,
                PROGRESS_TOKEN => meta.progress_token = value,
                LOG_LEVEL => meta.log_level = value,
                _ => {}
            }
            Ok(())
        })?;
        meta.raw = Some(raw);
        Ok(meta)
    }

    /// The version that makes the request a modern one, if it is a string.
    pub(crate) fn version(&self) -> Option<Cow<'a, str>> {
        self.protocol_version.and_then(RawJson::string)
    }

    /// From which level on log messages are wanted.
    ///
    /// # Errors
    ///
    /// When it is no level.
    pub(crate) fn log_level(&self) -> Result<Option<LoggingLevel>, ErrorObject> {
        match self.log_level.filter(|json| !json.is_null()) {
            None => Ok(None),
            Some(json) => json.read().map(Some).map_err(|_| {
                ErrorObject::invalid_params(format!(
                    "`_meta.{LOG_LEVEL}` names no level; known are {}",
                    LoggingLevel::names()
                ))
            }),
        }
    }
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use super::*;

    // rows: META-8, META-9
    #[test]
    fn keys_are_held_to_their_grammar_and_reserved_ones_left_alone() {
        for key in [
            "traceparent",
            "a",
            "a_b.c-d",
            "7",
            "",
            "com.example/x",
            "com.example/",
            "com.example.mcp/x",
            "mcp/x",
            "c0-m.example/x",
            LOG_LEVEL,
        ] {
            assert_eq!(fault_of_key(key), None, "{key}");
        }
        for key in [
            "a b",
            "-a",
            "a.",
            "é",
            "/x",
            "com..example/x",
            "7com/x",
            "com-/x",
            "com_example/x",
            "com.example/a/b",
            "io.modelcontextprotocol/x",
            "dev.mcp/x",
            "com.mcp.tools/x",
            PROTOCOL_VERSION,
            CLIENT_INFO,
            CLIENT_CAPABILITIES,
            PROGRESS_TOKEN,
        ] {
            assert!(fault_of_key(key).is_some(), "{key}");
        }
    }
}
