//! Which changes a client wants to hear of.
//!
//! Specification: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).

use serde::{Deserialize, Serialize};

use super::message::null_is_default;

/// Which changes a client wants to hear of; nothing is asked for unless set.
///
/// ```
/// use mcp_server::protocol::SubscriptionFilter;
///
/// let filter = SubscriptionFilter { tools_list_changed: true, ..SubscriptionFilter::default() };
/// assert_eq!(serde_json::to_string(&filter).unwrap(), r#"{"toolsListChanged":true}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubscriptionFilter {
    /// Whenever the list of tools changes.
    #[serde(deserialize_with = "null_is_default", skip_serializing_if = "std::ops::Not::not")]
    pub tools_list_changed: bool,
    /// Whenever the list of prompts changes.
    #[serde(deserialize_with = "null_is_default", skip_serializing_if = "std::ops::Not::not")]
    pub prompts_list_changed: bool,
    /// Whenever the list of resources or of their templates changes.
    #[serde(deserialize_with = "null_is_default", skip_serializing_if = "std::ops::Not::not")]
    pub resources_list_changed: bool,
    /// Whenever one of the resources with these URIs changes.
    #[serde(deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub resource_subscriptions: Vec<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: SUB-1
    #[test]
    fn what_is_absent_or_false_is_not_asked_for() {
        let wire = json!({
            "toolsListChanged": true,
            "promptsListChanged": true,
            "resourcesListChanged": true,
            "resourceSubscriptions": ["shop://a"],
        });
        let filter: SubscriptionFilter = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(serde_json::to_value(&filter).unwrap(), wire);
        let none = json!({ "toolsListChanged": false, "resourceSubscriptions": [], "other": 1 });
        let filter: SubscriptionFilter = serde_json::from_value(none).unwrap();
        assert_eq!(filter, SubscriptionFilter::default());
        assert_eq!(serde_json::to_string(&filter).unwrap(), "{}");
    }
}
