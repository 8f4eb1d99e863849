//! The headers of a request that the protocol gives a meaning.

use std::borrow::Cow;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use super::refusal::Refusal;
use crate::protocol::{ErrorObject, ProtocolVersion, clip};

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) const NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Which forms of an answer a client takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepts {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accepts {
    /// Clients have to take both forms; one that says nothing, or `*/*`, is taken at that.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        // Most say it as the specification does.
        if headers.get(ACCEPT).is_some_and(|value| value == "application/json, text/event-stream") {
            return Self { json: true, events: true };
        }
        let mut said = false;
        let mut accepts = Self { json: false, events: false };
        for value in headers.get_all(ACCEPT) {
            for range in value.to_str().unwrap_or_default().split(',').map(str::trim).filter(|range| !range.is_empty())
            {
                said = true;
                let mut parts = range.split(';').map(str::trim);
                let media = parts.next().unwrap_or_default();
                let is_refused = parts.any(|part| {
                    let weight = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="));
                    weight.is_some_and(|weight| weight.trim().parse() == Ok(0.0))
                });
                if is_refused {
                    continue;
                }
                let is = |wanted: &[&str]| wanted.iter().any(|wanted| media.eq_ignore_ascii_case(wanted));
                accepts.json |= is(&["*/*", "application/*", "application/json"]);
                accepts.events |= is(&["*/*", "text/*", "text/event-stream"]);
            }
        }
        if said { accepts } else { Self { json: true, events: true } }
    }
}

/// "Content-Type: application/json". Other types a page could send without asking first.
pub(super) fn check_content_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let value = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let media = value.map(|value| value.split(';').next().unwrap_or_default().trim());
    if media.is_some_and(|media| media.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    let found = value.map_or("missing".to_owned(), |value| format!("`{}`", clip(value)));
    let text = format!("`Content-Type` must be `application/json`, and is {found}");
    Err(Refusal::http(StatusCode::UNSUPPORTED_MEDIA_TYPE, text))
}

/// What `MCP-Protocol-Version` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VersionHeader<'a> {
    Missing,
    /// One of a revision with a handshake.
    Legacy(ProtocolVersion),
    /// A stateless one, or one that is not known: as it came.
    Modern(&'a str),
}

impl<'a> VersionHeader<'a> {
    /// # Errors
    ///
    /// When it is there twice, or no text.
    pub(super) fn of(headers: &'a HeaderMap) -> Result<Self, ErrorObject> {
        let Some(text) = single(headers, &PROTOCOL_VERSION)? else { return Ok(Self::Missing) };
        Ok(match text.parse() {
            Ok(version) if !ProtocolVersion::is_modern(version) => Self::Legacy(version),
            _ => Self::Modern(text),
        })
    }
}

/// The value of a header that may be there once, without the space around it.
pub(super) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(ErrorObject::header_mismatch(format!("there are two `{name}` headers")));
    }
    let text = value.to_str().map_err(|_| {
        ErrorObject::header_mismatch(format!("the `{name}` header has characters that no header may have"))
    })?;
    Ok(Some(text.trim_matches([' ', '\t'])))
}

/// A text that stands in a header as it is.
pub(super) fn literal(text: &str) -> Result<Cow<'_, str>, ErrorObject> {
    Ok(Cow::Borrowed(text))
}

/// Compares a header with what the body says.
pub(super) fn compare(
    headers: &HeaderMap,
    name: &HeaderName,
    in_body: &str,
    decode: fn(&str) -> Result<Cow<'_, str>, ErrorObject>,
) -> Result<(), ErrorObject> {
    let Some(text) = single(headers, name)? else {
        return Err(ErrorObject::header_mismatch(format!(
            "the `{name}` header is missing: `{}`, as in the body",
            clip(in_body)
        )));
    };
    let said = decode(text)?;
    if said == in_body {
        return Ok(());
    }
    Err(ErrorObject::header_mismatch(format!(
        "the `{name}` header says `{}`, and the body `{}`",
        clip(&said),
        clip(in_body)
    )))
}

/// The headers of a request as a handler may see them: what proves who asks stays here.
pub(super) fn for_handlers(mut headers: HeaderMap<HeaderValue>) -> HeaderMap<HeaderValue> {
    use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION};

    for secret in [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION] {
        headers.remove(secret);
    }
    // Whoever has it is taken for the client.
    headers.remove(SESSION_ID);
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    // rows: HTTP-7
    #[test]
    fn clients_that_say_less_than_they_should_are_served_all_the_same() {
        let both = Accepts { json: true, events: true };
        assert_eq!(Accepts::of(&HeaderMap::new()), both);
        for (accept, wanted) in [
            ("*/*", both),
            ("application/json", Accepts { json: true, events: false }),
            ("application/*", Accepts { json: true, events: false }),
            ("text/event-stream", Accepts { json: false, events: true }),
            ("TEXT/EVENT-STREAM, application/json;q=0.9", both),
            ("text/event-stream;q=0, */*;q=0.1", both),
            ("application/json;q=0, text/event-stream", Accepts { json: false, events: true }),
            ("text/html", Accepts { json: false, events: false }),
            ("", both),
        ] {
            assert_eq!(Accepts::of(&headers(&[(ACCEPT, accept)])), wanted, "{accept}");
        }
    }

    // rows: HTTP-7
    #[test]
    fn a_body_that_is_no_json_by_its_own_word_is_refused() {
        for (value, good) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/plain", false),
            ("application/jsonx", false),
            ("", false),
        ] {
            assert_eq!(check_content_type(&headers(&[(CONTENT_TYPE, value)])).is_ok(), good, "{value}");
        }
        assert!(check_content_type(&HeaderMap::new()).is_err());
    }

    // rows: HDR-5, HDR-6
    #[test]
    fn space_around_a_value_is_none_of_it() {
        let map = headers(&[(NAME, " \t count  ")]);
        assert_eq!(single(&map, &NAME).unwrap(), Some("count"));
        assert!(single(&headers(&[(NAME, "a"), (NAME, "a")]), &NAME).is_err());
        assert!(compare(&map, &NAME, "count", literal).is_ok());
        assert!(compare(&map, &NAME, "COUNT", literal).is_err());
    }

    #[test]
    fn what_proves_who_asks_is_not_for_handlers() {
        let map = headers(&[
            (http::header::AUTHORIZATION, "Bearer secret"),
            (http::header::COOKIE, "secret"),
            (SESSION_ID, "secret"),
            (http::header::USER_AGENT, "test"),
        ]);
        assert_eq!(for_handlers(map), headers(&[(http::header::USER_AGENT, "test")]));
    }
}
