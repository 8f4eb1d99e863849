//! What a browser asks before a page may call a server of another origin, and what the page may read of the answer.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, VARY,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};

use super::body::HttpBody;
use super::refusal::empty;
use super::service::ALL_METHODS;

/// Answers the question before the first call. The page is one that may call.
pub(super) fn preflight(page: &HeaderValue, asked: &HeaderMap) -> Response<HttpBody> {
    let mut response = empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page.clone());
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(ALL_METHODS));
    // `Mcp-Param-*` has no list: what is asked for is allowed.
    if let Some(names) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    headers.insert(VARY, HeaderValue::from_static("origin, access-control-request-headers"));
    response
}

/// Lets the page read an answer.
pub(super) fn expose(page: &HeaderValue, headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, page.clone());
    let exposed = "mcp-session-id, mcp-protocol-version, www-authenticate, retry-after";
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(exposed));
    headers.append(VARY, HeaderValue::from_static("origin"));
}
