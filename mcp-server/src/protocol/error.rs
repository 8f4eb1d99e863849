//! The error that a client program reads: a code and a sentence.
//!
//! Specification: [Error codes](https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes).

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::message::null_is_default;
use super::{ClientCapabilities, ProtocolVersion};

/// The number that says what kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text is not JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// JSON, but not a message of the protocol.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// No such method, or its capability is not offered.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The params do not fit the method; also an unknown tool, prompt, resource or cursor.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// A fault of the server.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// No such resource, before 2026-07-28; since then that is [`INVALID_PARAMS`](Self::INVALID_PARAMS).
    pub const RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// A header of HTTP does not say what the body says, or is missing.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a capability that the client did not declare.
    pub const MISSING_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The version that the request names is not served.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
}

/// The `error` of a response.
///
/// ```
/// use mcp_server::protocol::{ErrorCode, ErrorObject};
///
/// let error = ErrorObject::new(ErrorCode(7), "the shop is closed");
/// assert_eq!(error.to_string(), "the shop is closed (code 7)");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// What kind of error it is.
    pub code: ErrorCode,
    /// One sentence for the developer of the client.
    #[serde(default, deserialize_with = "null_is_default")]
    pub message: String,
    /// More about it, in a form that depends on the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl ErrorObject {
    /// An error with a code of your own; such codes lie outside `-32768..=-32000`.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// The params do not fit the method.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, message)
    }

    /// A fault of the server.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INTERNAL_ERROR, message)
    }

    /// No resource has this URI, which `data` repeats. The code is the one that `version` has for it.
    ///
    /// ```
    /// use mcp_server::protocol::{ErrorCode, ErrorObject, ProtocolVersion};
    ///
    /// let error = ErrorObject::resource_not_found("shop://nope", ProtocolVersion::LATEST);
    /// assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    /// assert_eq!(error.data.unwrap()["uri"], "shop://nope");
    /// ```
    pub fn resource_not_found(uri: &str, version: ProtocolVersion) -> Self {
        // "Servers MUST NOT emit -32002" (Error Codes): it is the code of the revisions with a handshake.
        let code = if version.is_modern() { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
        Self::new(code, format!("there is no resource `{}`", clip(uri))).with_data(json!({ "uri": uri }))
    }

    /// The request needs capabilities that the client did not declare with it: `data` says which.
    ///
    /// ```
    /// use mcp_server::protocol::{ClientCapabilities, ErrorObject};
    ///
    /// let required = ClientCapabilities { sampling: Some(Default::default()), ..ClientCapabilities::default() };
    /// let error = ErrorObject::missing_client_capability("the summary needs a model", required);
    /// assert_eq!(error.data.unwrap().to_string(), r#"{"requiredCapabilities":{"sampling":{}}}"#);
    /// ```
    pub fn missing_client_capability(message: impl Into<String>, required: ClientCapabilities) -> Self {
        Self::new(ErrorCode::MISSING_CLIENT_CAPABILITY, message).with_data(json!({ "requiredCapabilities": required }))
    }

    /// Says more, in a form for programs.
    #[must_use]
    pub fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    /// A header does not say what the body says; the message names it.
    #[cfg(feature = "http")]
    pub(crate) fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::HEADER_MISMATCH, message)
    }

    pub(crate) fn parse_error(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::PARSE_ERROR, message)
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::INVALID_REQUEST, message)
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(ErrorCode::METHOD_NOT_FOUND, format!("the method `{}` is not offered here", clip(method)))
    }

    /// `nearest`: a name that the client may have meant.
    pub(crate) fn unknown_tool(name: &str, nearest: Option<&str>) -> Self {
        Self::unknown("tool", name, nearest)
    }

    /// `nearest`: a name that the client may have meant.
    pub(crate) fn unknown_prompt(name: &str, nearest: Option<&str>) -> Self {
        Self::unknown("prompt", name, nearest)
    }

    fn unknown(kind: &str, name: &str, nearest: Option<&str>) -> Self {
        let mut message = format!("no {kind} is named `{}`", clip(name));
        if let Some(nearest) = nearest {
            message += &format!("; did you mean `{nearest}`?");
        }
        Self::invalid_params(message)
    }

    /// "`data` = `{supported: string[], requested: string}`" (Versioning, Protocol Version Negotiation).
    pub(crate) fn unsupported_version(requested: &str, supported: &[ProtocolVersion]) -> Self {
        let message = format!("the protocol version `{}` is not served here", clip(requested));
        Self::new(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, message)
            .with_data(json!({ "supported": supported, "requested": requested }))
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code.0)
    }
}

impl std::error::Error for ErrorObject {}

/// A name as it came, but never longer than a name can be: error texts stay short whatever was sent.
pub(crate) fn clip(name: &str) -> String {
    match name.char_indices().nth(128) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_resource_has_the_code_of_the_revision() {
        for version in ProtocolVersion::ALL {
            let error = ErrorObject::resource_not_found("shop://nope", version);
            let code = if version.is_modern() { -32602 } else { -32002 };
            assert_eq!(
                serde_json::to_value(&error).unwrap(),
                json!({ "code": code, "message": "there is no resource `shop://nope`", "data": { "uri": "shop://nope" } }),
                "{version}"
            );
        }
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_one() {
        let error = ErrorObject::unknown_prompt("reveiw", Some("review"));
        assert_eq!(error.to_string(), "no prompt is named `reveiw`; did you mean `review`? (code -32602)");
        assert_eq!(ErrorObject::unknown_tool("x", None).message, "no tool is named `x`");
    }
}
