//! A request of the stateless revision: all that is needed to serve it is in it, and its headers say the same.
//!
//! Specification: [Streamable HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).

use std::borrow::Cow;

use http::{HeaderMap, StatusCode};

use super::headers::{METHOD, NAME, PROTOCOL_VERSION, VersionHeader, compare, literal, single};
use super::refusal::Refusal;
use super::service::{Asked, Endpoint};
use super::taken::{Manner, Taken};
use crate::protocol::{ErrorCode, ErrorObject, ProtocolVersion, clip};
use crate::server::Core;
use crate::server::dispatch::{self, Request};
use crate::server::mirrored::decode_header;
use crate::server::output::{Framing, Outbox};

/// Whether a request is a stateless one. "A POST whose header is a modern or unknown version is modern even if `_meta` is
/// missing"; without either mark it is one of an older client.
///
/// # Errors
///
/// When the header can't be read.
pub(super) fn is_modern(core: &Core, headers: &HeaderMap, request: &Request<'_>) -> Result<bool, ErrorObject> {
    if !core.speaks(ProtocolVersion::LATEST) {
        return Ok(false);
    }
    if request.meta().protocol_version.is_some() {
        return Ok(true);
    }
    let header = VersionHeader::of(headers)?;
    let is_legacy = core.legacy_versions().next().is_some() && !matches!(header, VersionHeader::Modern(_));
    // A server of stateless requests alone says to an older client which versions there are.
    Ok(!(is_legacy || header == VersionHeader::Missing && request.method == "initialize"))
}

/// Takes a request, as far as that goes without waiting.
pub(super) fn request(endpoint: &Endpoint, request: Request<'_>, asked: Asked) -> Result<Taken, Refusal> {
    let core = &endpoint.core;
    check(core, &asked.headers, &request).map_err(Refusal::bad_request)?;
    endpoint.check_tool(&request, &asked, true)?;
    // A stream of changes is nothing but what is said before its response.
    let is_stream = request.method == "subscriptions/listen";
    if is_stream && !asked.accepts.events {
        return Err(Refusal::http(StatusCode::NOT_ACCEPTABLE, "`Accept` must name `text/event-stream`"));
    }
    let takes_events = is_stream || endpoint.sends_events(&asked);
    let outbox = Outbox::of_events(core.settings.queue_size, Framing::Event);
    let link = asked.link(outbox.clone(), endpoint.closing.subscribe(), None);
    let (id, version) = (request.id, request.version);
    let reply = dispatch::route(core, &link, &request);
    Ok(Taken::alone(endpoint, reply, outbox, id, version, Manner { asked, takes_events, status_of }))
}

/// What the revision asks of every request and of its headers, in the order in which it is told to the client.
fn check(core: &Core, headers: &HeaderMap, request: &Request<'_>) -> Result<(), ErrorObject> {
    let header = match VersionHeader::of(headers)? {
        VersionHeader::Missing => {
            let wanted = request.meta().version().unwrap_or(Cow::Borrowed(ProtocolVersion::LATEST.as_str()));
            return Err(ErrorObject::header_mismatch(format!(
                "the `{PROTOCOL_VERSION}` header is missing: `{}`",
                clip(&wanted)
            )));
        }
        VersionHeader::Legacy(version) => version.as_str(),
        VersionHeader::Modern(version) => version,
    };
    let requested = dispatch::requested_version(request.meta())?;
    dispatch::check_capabilities(request.meta())?;
    if header != requested {
        let (header, requested) = (clip(header), clip(&requested));
        let text = format!("the `{PROTOCOL_VERSION}` header says `{header}`, and the body `{requested}`");
        return Err(ErrorObject::header_mismatch(text));
    }
    dispatch::check_version(core, &requested)?;
    compare(headers, &METHOD, request.method, literal)?;
    if let Some(named) = named_by(request.method) {
        match request.params.optional_string(named) {
            Ok(Some(name)) => compare(headers, &NAME, &name, decoded)?,
            _ if single(headers, &NAME)?.is_some() => {
                return Err(ErrorObject::header_mismatch(format!(
                    "there is a `{NAME}` header, and no `params.{named}` in the body"
                )));
            }
            // The method itself says what is missing.
            _ => {}
        }
    }
    request.meta().log_level().map(drop)
}

/// The member of the params that `Mcp-Name` repeats (Standard Request Headers).
fn named_by(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        _ => None,
    }
}

/// A text as it is written in a header.
fn decoded(text: &str) -> Result<Cow<'_, str>, ErrorObject> {
    decode_header(text.as_bytes()).map_err(|fault| ErrorObject::header_mismatch(format!("the `{NAME}` header {fault}")))
}

/// The status of a response. Errors of handlers have none of their own: the client reads them in the body.
pub(super) fn status_of(error: Option<ErrorCode>) -> StatusCode {
    match error {
        Some(ErrorCode::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(
            ErrorCode::MISSING_CLIENT_CAPABILITY
            | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
            | ErrorCode::HEADER_MISMATCH
            | ErrorCode::PARSE_ERROR
            | ErrorCode::INVALID_REQUEST,
        ) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
