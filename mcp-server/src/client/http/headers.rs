//! The headers that the protocol gives a meaning, and how a text is written in one.
//!
//! Specification: [Request metadata](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) const NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Whether a header is one that only this client can set: what is in it has to fit the message, or the connection.
pub(super) fn is_own(name: &HeaderName) -> bool {
    let own = [
        header::ACCEPT,
        header::CONNECTION,
        header::CONTENT_ENCODING,
        header::CONTENT_LENGTH,
        header::CONTENT_TYPE,
        header::EXPECT,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        LAST_EVENT_ID,
    ];
    own.contains(name)
        || name.as_str().starts_with("mcp-")
        || ["keep-alive", "proxy-connection"].contains(&name.as_str())
}

/// Writes a text into a header: as it is, or in Base64 where a header can't hold it.
///
/// "Values that cannot be safely represented as plain ASCII header values MUST be Base64-encoded" (Value Encoding); and
/// so must those that look as if they were.
pub(super) fn encode(text: &str) -> HeaderValue {
    let looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    let is_printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let is_plain = is_printable && !text.starts_with(' ') && !text.ends_with(' ') && !looks_encoded;
    let encoded = if is_plain { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) };
    HeaderValue::try_from(encoded).expect("visible ASCII can stand in a header")
}

/// Sets the header of a text, unless its name can't be one.
pub(super) fn set(headers: &mut HeaderMap, name: &str, text: &str) {
    match HeaderName::try_from(name) {
        Ok(name) => drop(headers.insert(name, encode(text))),
        Err(error) => tracing::warn!(name, %error, "an argument can't be repeated in a header"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: HDR-7
    #[test]
    fn a_text_is_written_as_it_is_where_a_header_can_hold_it() {
        for (text, value) in [
            ("", ""),
            ("add", "add"),
            ("a b  c", "a b  c"),
            ("=?base64?", "=?base64?"),
            ("x=?base64?YQ==?=", "x=?base64?YQ==?="),
            ("=?BASE64?YQ==?=", "=?BASE64?YQ==?="),
            ("~!\"#%&'()*+,-./:;<=>?@[\\]^_`{|}", "~!\"#%&'()*+,-./:;<=>?@[\\]^_`{|}"),
            ("Zürich", "=?base64?WsO8cmljaA==?="),
            ("café", "=?base64?Y2Fmw6k=?="),
            (" x ", "=?base64?IHgg?="),
            (" x", "=?base64?IHg=?="),
            ("x ", "=?base64?eCA=?="),
            (" ", "=?base64?IA==?="),
            ("a\tb", "=?base64?YQli?="),
            ("a\nb", "=?base64?YQpi?="),
            ("a\r\nb", "=?base64?YQ0KYg==?="),
            ("\0", "=?base64?AA==?="),
            ("\u{7f}", "=?base64?fw==?="),
            ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
            ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        ] {
            assert_eq!(encode(text).to_str().unwrap(), value, "{text:?}");
        }
    }

    // rows: HDR-5
    #[test]
    fn names_are_the_same_in_any_case() {
        let mut headers = HeaderMap::new();
        set(&mut headers, "Mcp-Param-Region", "eu");
        assert_eq!(headers["mcp-param-region"], "eu");
        assert!(
            ["Accept", "CONTENT-TYPE", "Mcp-Anything", "keep-alive"].map(|name| is_own(&name.parse().unwrap()))
                == [true; 4]
        );
        assert!(!is_own(&header::AUTHORIZATION));
    }
}
