//! Who may call: a server as the resource server of OAuth 2.1.
//!
//! An [`Authorization`] says what clients must bring and where they get it; a [`TokenVerifier`] tells who a token speaks
//! for. `JwtVerifier` (feature `auth`) is the one for JSON Web Tokens; for others, such as those that only the
//! authorization server can read, write your own.
//!
//! No token is ever part of a message, an error or a log.
//!
//! Specification: [Authorization](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization).

mod address;
mod authorization;
mod bearer;
#[cfg(feature = "auth")]
mod jwt;
#[cfg(feature = "auth")]
mod key_server;
#[cfg(feature = "auth")]
mod keys;
mod verifier;

pub use authorization::Authorization;
#[cfg(feature = "auth")]
pub use jwt::JwtVerifier;
pub use verifier::{TokenError, TokenVerifier};

use http::{HeaderValue, StatusCode};

/// How a request is refused. The text is for its body.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) status: StatusCode,
    pub(crate) www_authenticate: Option<HeaderValue>,
    /// Seconds, with 503.
    pub(crate) retry_after: Option<HeaderValue>,
    pub(crate) text: String,
}

impl Refused {
    fn new(status: StatusCode, www_authenticate: Option<HeaderValue>, text: impl Into<String>) -> Self {
        Self { status, www_authenticate, retry_after: None, text: text.into() }
    }
}
