//! What a person answered to a question of the server.
//!
//! Specification: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What the person did with the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Answered it, or agreed to open the URL.
    Accept,
    /// Said no.
    Decline,
    /// Closed it without a choice.
    Cancel,
}

/// The answer to a question.
///
/// ```
/// use mcp_server::protocol::{ElicitAction, ElicitResult};
///
/// let answer: ElicitResult = serde_json::from_str(r#"{"action":"accept","content":{"name":"Ada"}}"#).unwrap();
/// assert_eq!(answer.action, ElicitAction::Accept);
/// assert_eq!(answer.content.unwrap()["name"], "Ada");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElicitResult {
    /// What the person did.
    pub action: ElicitAction,
    /// The fields of the form: only when one was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Map<String, Value>>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: ELIC-9
    #[test]
    fn an_answer_comes_back_as_it_was() {
        for wire in [
            json!({ "action": "accept", "content": { "name": "Ada", "height": 1.65, "member": true, "tags": ["a", "b"] } }),
            json!({ "action": "accept" }),
            json!({ "action": "decline" }),
            json!({ "action": "cancel" }),
        ] {
            let answer: ElicitResult = serde_json::from_value(wire.clone()).unwrap();
            assert_eq!(serde_json::to_value(&answer).unwrap(), wire);
        }
        assert!(serde_json::from_value::<ElicitResult>(json!({ "action": "maybe" })).is_err());
    }
}
