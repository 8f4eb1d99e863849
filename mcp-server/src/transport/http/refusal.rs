//! A request that is not served, as an HTTP response: its status, and a text that says what would be right.

use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Response, StatusCode};

use super::auth::Refused;
use super::body::HttpBody;
use crate::protocol::{ErrorCode, ErrorObject, Malformed, RequestId};
use crate::server::respond;

pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Why a request is not served.
#[derive(Debug)]
pub(super) struct Refusal(Box<Parts>);

#[derive(Debug)]
struct Parts {
    status: StatusCode,
    error: ErrorObject,
    /// "HTTP error bodies are JSON-RPC error responses", with the id where there is one.
    id: Option<RequestId>,
    header: Option<(HeaderName, HeaderValue)>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, error: ErrorObject) -> Self {
        Self(Box::new(Parts { status, error, id: None, header: None }))
    }

    /// Something is wrong with the HTTP request.
    pub(super) fn http(status: StatusCode, text: impl Into<String>) -> Self {
        Self::new(status, ErrorObject::invalid_request(text))
    }

    /// Something is wrong with the message.
    pub(super) fn bad_request(error: ErrorObject) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    /// What was sent is no message.
    pub(super) fn malformed(Malformed { id, error }: Malformed) -> Self {
        let unreadable = || ErrorObject::invalid_request("the message is an answer that can't be read");
        let mut refusal = Self::bad_request(error.map_or_else(unreadable, |error| *error));
        refusal.0.id = id;
        refusal
    }

    /// A limit is reached that may be free again soon.
    pub(super) fn busy(text: impl Into<String>) -> Self {
        let refusal = Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorObject::internal(text));
        refusal.with(RETRY_AFTER, HeaderValue::from_static("1"))
    }

    pub(super) fn not_allowed(allowed: &'static str) -> Self {
        let text = format!("this address takes {allowed}");
        Self::http(StatusCode::METHOD_NOT_ALLOWED, text).with(ALLOW, HeaderValue::from_static(allowed))
    }

    /// By who is asking, or who does not say it.
    pub(super) fn unauthorized(Refused { status, www_authenticate, retry_after, text }: Refused) -> Self {
        let code = if status.is_server_error() { ErrorCode::INTERNAL_ERROR } else { ErrorCode::INVALID_REQUEST };
        let refusal = Self::new(status, ErrorObject::new(code, text));
        // At most one of them.
        match (www_authenticate, retry_after) {
            (Some(challenge), _) => refusal.with(WWW_AUTHENTICATE, challenge),
            (None, Some(seconds)) => refusal.with(RETRY_AFTER, seconds),
            (None, None) => refusal,
        }
    }

    fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.header = Some((name, value));
        self
    }

    pub(super) fn of(mut self, id: &RequestId) -> Self {
        self.0.id = Some(id.clone());
        self
    }

    /// What is said of it where the message is one of several, and has no status of its own.
    pub(super) fn into_error(self) -> ErrorObject {
        self.0.error
    }

    pub(super) fn into_response(self) -> Response<HttpBody> {
        let Parts { status, error, id, header } = *self.0;
        let mut body = Vec::new();
        respond::write_error(&mut body, id.as_ref(), &error);
        let mut response = json(status, HttpBody::of(body));
        if let Some((name, value)) = header {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// A response that is one JSON text.
pub(super) fn json(status: StatusCode, body: HttpBody) -> Response<HttpBody> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::empty());
    *response.status_mut() = status;
    response
}
