//! Who may share a result that is kept for a while.
//!
//! Specification: [Caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).

use serde::{Deserialize, Serialize};

/// Who may share a result that is kept for a while; private unless set.
///
/// ```
/// use mcp_server::protocol::CacheScope;
///
/// assert_eq!(CacheScope::default(), CacheScope::Private);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Everybody: it is the same for all users.
    Public,
    /// Only whoever asked for it.
    #[default]
    Private,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_has_the_name_of_the_specification() {
        for (scope, name) in [(CacheScope::Public, "public"), (CacheScope::Private, "private")] {
            assert_eq!(serde_json::to_value(scope).unwrap(), name);
            assert_eq!(serde_json::from_value::<CacheScope>(name.into()).unwrap(), scope);
        }
    }
}
