//! Who a request speaks for, where a token has proved it.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

/// The user or the program that a request speaks for, as its token has proved.
///
/// A `TokenVerifier` makes it of a token; handlers get it from
/// [`Context::principal`](crate::Context::principal). The token itself is not in it, and goes nowhere.
///
/// ```
/// use mcp_server::Principal;
///
/// let anna = Principal::new("https://login.example", "anna").scopes(["orders:read"]);
/// assert!(anna.has_scope("orders:read"));
/// assert!(!anna.has_scope("orders:write"));
/// ```
///
/// Specification: [Authorization](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization).
#[derive(Clone, PartialEq)]
pub struct Principal {
    issuer: String,
    subject: String,
    client_id: Option<String>,
    scopes: BTreeSet<String>,
    claims: Map<String, Value>,
}

impl Principal {
    /// Whom an issuer knows by a name of its own, without any scope.
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            subject: subject.into(),
            client_id: None,
            scopes: BTreeSet::new(),
            claims: Map::new(),
        }
    }

    /// With these scopes beside those that it has: what it may do.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// With the program that asks on its behalf.
    #[must_use]
    pub fn client_id(mut self, client_id: impl Into<String>) -> Self {
        self.client_id = Some(client_id.into());
        self
    }

    /// With all that the token says.
    #[must_use]
    pub fn claims(mut self, claims: Map<String, Value>) -> Self {
        self.claims = claims;
        self
    }

    /// Who vouches for it: the authorization server.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Its name at the issuer.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The program that asks on its behalf, if the token names one.
    pub fn client(&self) -> Option<&str> {
        self.client_id.as_deref()
    }

    /// Whether it has this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.contains(scope)
    }

    /// All scopes that it has, in alphabetical order.
    pub fn all_scopes(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().map(String::as_str)
    }

    /// What else the token says.
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.claims.get(name)
    }

    /// What is wrong with a scope that a server or a tool requires.
    pub(crate) fn fault_of_scope(scope: &str) -> Option<&'static str> {
        if scope.is_empty() || !scope.chars().all(Self::is_of_scope) {
            Some("it must be one word of visible ASCII characters without `\"` and `\\`")
        } else if scope == "offline_access" {
            // "MCP Servers SHOULD NOT include `offline_access` in `WWW-Authenticate` scope or Protected Resource Metadata
            // `scopes_supported`" (Authorization, Refresh Tokens).
            Some("refresh tokens are nothing that a server needs")
        } else {
            None
        }
    }

    /// RFC 6749, section 3.3.
    pub(crate) fn is_of_scope(c: char) -> bool {
        c.is_ascii_graphic() && c != '"' && c != '\\'
    }

    /// What tells it from everybody else: to this belong its sessions, and what was sealed for it.
    pub(crate) fn key(&self) -> String {
        // The length keeps apart what would read the same when joined.
        format!("{}:{}{}", self.issuer.len(), self.issuer, self.subject)
    }
}

impl fmt::Debug for Principal {
    /// Without the claims, which can be personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("issuer", &self.issuer)
            .field("subject", &self.subject)
            .field("client_id", &self.client_id)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_tells_everybody_apart() {
        assert_ne!(Principal::new("a", "bc").key(), Principal::new("ab", "c").key());
        assert_eq!(Principal::new("a", "b").scopes(["x"]).key(), Principal::new("a", "b").key());
    }
}
