//! From a token to whom it speaks for.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::server::Principal;

/// Tells whom a bearer token speaks for, or what is wrong with it.
///
/// It is asked for every request, before anything is done for it, and waits as long as it must; when the client goes
/// away meanwhile, its future is dropped. It has to hold that the token is genuine and in force, and that it was issued
/// for this server, which its audience says: "MCP servers MUST only accept tokens specifically intended for themselves".
///
/// The scopes of the [`Principal`] are all that it has: "Servers MUST account for scope hierarchies, where a broader scope
/// implies narrower ones". So where `orders:write` includes `orders:read`, one who has the first is given both. A
/// `JwtVerifier` does it by its method `implies`.
///
/// ```
/// use std::collections::HashMap;
///
/// use mcp_server::Principal;
/// use mcp_server::auth::{TokenError, TokenVerifier};
///
/// /// Tokens that were handed out by hand.
/// struct Known(HashMap<String, Principal>);
///
/// impl TokenVerifier for Known {
///     async fn verify(&self, token: &str) -> Result<Principal, TokenError> {
///         self.0.get(token).cloned().ok_or(TokenError::invalid("the token is not known"))
///     }
/// }
/// ```
///
/// Specification:
/// [Token Handling](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-handling).
pub trait TokenVerifier: Send + Sync + 'static {
    /// Whom the token speaks for.
    ///
    /// It has 1 to 8192 characters, which are letters, digits, `-._~+/` and, at its end, `=`.
    ///
    /// # Errors
    ///
    /// With [`TokenError::unavailable`] when that can't be told for now, and otherwise with what is wrong with the token.
    fn verify(&self, token: &str) -> impl Future<Output = Result<Principal, TokenError>> + Send;
}

/// One verifier for several servers.
impl<V: TokenVerifier> TokenVerifier for Arc<V> {
    fn verify(&self, token: &str) -> impl Future<Output = Result<Principal, TokenError>> + Send {
        V::verify(self, token)
    }
}

/// Any verifier, behind a pointer.
pub(super) trait AnyVerifier: Send + Sync {
    fn verify_boxed<'a>(&'a self, token: &'a str) -> Verifying<'a>;
}

pub(super) type Verifying<'a> = Pin<Box<dyn Future<Output = Result<Principal, TokenError>> + Send + 'a>>;

impl<V: TokenVerifier> AnyVerifier for V {
    fn verify_boxed<'a>(&'a self, token: &'a str) -> Verifying<'a> {
        Box::pin(self.verify(token))
    }
}

/// Why a token is not accepted.
///
/// Its text goes to the client as `error_description`. All texts are fixed when the program is built, so that nothing of
/// a token can get into them.
///
/// ```
/// use mcp_server::auth::TokenError;
///
/// assert_eq!(TokenError::expired().to_string(), "the token has expired");
/// assert_eq!(TokenError::invalid("the token was revoked").to_string(), "the token was revoked");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenError {
    text: &'static str,
    unavailable: bool,
}

impl TokenError {
    /// The token is no good: the client gets 401 and needs another one. The text is lower case, without a final dot.
    pub const fn invalid(text: &'static str) -> Self {
        Self { text, unavailable: false }
    }

    /// The token was good once.
    pub const fn expired() -> Self {
        Self::invalid("the token has expired")
    }

    /// The token is from somebody who does not vouch for this server's clients.
    pub const fn wrong_issuer() -> Self {
        Self::invalid("the token is from another issuer")
    }

    /// The token was issued for another server.
    pub const fn wrong_audience() -> Self {
        Self::invalid("the token is for another audience")
    }

    /// Nothing can be said about the token for now, as when the authorization server can't be reached: the client gets
    /// 503 and may try again with the same token. What went wrong belongs in a log, not in this text.
    pub const fn unavailable(text: &'static str) -> Self {
        Self { text, unavailable: true }
    }

    /// Whether another time the same token may be accepted.
    pub const fn is_unavailable(&self) -> bool {
        self.unavailable
    }

    pub(super) const fn text(&self) -> &'static str {
        self.text
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl Error for TokenError {}
