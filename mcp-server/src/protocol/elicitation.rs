//! What a server asks a person, and what the person answered.
//!
//! Specification: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A form that the person is asked to fill in.
///
/// ```
/// use mcp_server::protocol::ElicitFormParams;
///
/// let wire = r#"{"message":"Who is it for?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}"#;
/// let form: ElicitFormParams = serde_json::from_str(wire).unwrap();
/// assert_eq!(form.requested_schema["properties"]["name"]["type"], "string");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitFormParams {
    /// What the person is told.
    pub message: String,
    /// The fields: the schema of a flat object of texts, numbers, yes or no, and choices.
    pub requested_schema: Value,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// A page that the person is asked to open.
///
/// ```
/// use mcp_server::protocol::ElicitUrlParams;
///
/// let wire = r#"{"mode":"url","message":"Sign in","url":"https://bank.example/connect?to=42"}"#;
/// let page: ElicitUrlParams = serde_json::from_str(wire).unwrap();
/// assert_eq!(page.url, "https://bank.example/connect?to=42");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitUrlParams {
    /// What the person is told.
    pub message: String,
    /// The whole address. People want to see it, and its host above all, before they agree.
    pub url: String,
    /// What the server names it by when it says that it is done there; since 2026-07-28 there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

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

impl ElicitResult {
    /// The person has filled in the form: `json!({ … })`, a map, a struct of yours; or has agreed to open the page: `()`.
    ///
    /// ```
    /// use mcp_server::protocol::ElicitResult;
    /// use serde_json::json;
    ///
    /// assert_eq!(ElicitResult::accept(json!({ "name": "Ada" })).content.unwrap()["name"], "Ada");
    /// assert_eq!(ElicitResult::accept(()).content, None);
    /// ```
    ///
    /// # Panics
    ///
    /// When the content is something else than an object or nothing.
    #[track_caller]
    pub fn accept(content: impl Serialize) -> Self {
        let content = match serde_json::to_value(content) {
            Ok(Value::Object(content)) => Some(content),
            Ok(Value::Null) => None,
            Ok(_) => panic!("what was filled into a form is an object with a member for each field"),
            Err(error) => panic!("what was filled into a form is no JSON: {error}"),
        };
        Self { action: ElicitAction::Accept, content }
    }

    /// The person has said no.
    pub const fn decline() -> Self {
        Self { action: ElicitAction::Decline, content: None }
    }

    /// The person has closed the question without a choice.
    pub const fn cancel() -> Self {
        Self { action: ElicitAction::Cancel, content: None }
    }
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
