//! Prompts: what a server lists, and what one becomes with its arguments.
//!
//! Specification: [Prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::message::null_is_default;
use super::older::{icons, meta, title, write};
use super::{ContentBlock, Icon, ProtocolVersion, Role, content};

/// A prompt as `prompts/list` shows it.
///
/// ```
/// use mcp_server::protocol::{Prompt, PromptArgument};
///
/// let review = Prompt {
///     name: "review".into(),
///     arguments: vec![PromptArgument { name: "code".into(), required: Some(true), ..PromptArgument::default() }],
///     ..Prompt::default()
/// };
/// assert_eq!(
///     serde_json::to_string(&review).unwrap(),
///     r#"{"name":"review","arguments":[{"name":"code","required":true}]}"#,
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// The name to ask for it by.
    pub name: String,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is good for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it can be filled with.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
    /// Pictures of it.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl Prompt {
    fn older(self, version: ProtocolVersion) -> Self {
        let arguments = self.arguments.into_iter();
        Self {
            title: title(self.title, version),
            arguments: arguments
                .map(|argument| PromptArgument { title: title(argument.title, version), ..argument })
                .collect(),
            icons: icons(self.icons, version),
            meta: meta(self.meta, version),
            ..self
        }
    }
}

/// What a prompt can be filled with. The value is always a string.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    /// The name that programs use.
    pub name: String,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be given; `false` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

impl PromptArgument {
    /// An argument with a name and no more.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// What somebody says in a prompt: one block.
///
/// ```
/// use mcp_server::protocol::{PromptMessage, Role};
///
/// let message = PromptMessage::user("Review this code, please.");
/// assert_eq!(message.role, Role::User);
/// assert_eq!(message.content.as_text(), Some("Review this code, please."));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// What the person says.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::User, content: content.into() }
    }

    /// What the model says.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }

    fn older(self, version: ProtocolVersion) -> Self {
        Self { content: content::older(self.content, version), ..self }
    }
}

/// A prompt that has been filled: what to begin a conversation with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GetPromptResult {
    /// What the prompt is good for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The conversation so far.
    pub messages: Vec<PromptMessage>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// Writes a prompt with what `version` knows.
pub(crate) fn write_prompt(out: &mut Vec<u8>, prompt: &Prompt, version: ProtocolVersion) {
    write(out, prompt, version, Prompt::older);
}

/// Writes a message with what `version` knows.
pub(crate) fn write_prompt_message(out: &mut Vec<u8>, message: &PromptMessage, version: ProtocolVersion) {
    write(out, message, version, PromptMessage::older);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::{ResourceLink, TextContent};

    fn full() -> Prompt {
        let wire = json!({
            "name": "review",
            "title": "Review",
            "description": "Looks at code.",
            "arguments": [
                { "name": "code", "title": "Code", "description": "The code.", "required": true },
                { "name": "style" },
            ],
            "icons": [{ "src": "https://example.com/i.png" }],
            "_meta": { "example.com/key": 1 },
        });
        let prompt = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(serde_json::to_value(&prompt).unwrap(), wire);
        prompt
    }

    // rows: PRMT-2, ICON-1
    #[test]
    fn a_revision_gets_the_members_of_a_prompt_that_it_knows() {
        let old = r#"{"name":"review","description":"Looks at code.","arguments":[{"name":"code","description":"The code.","required":true},{"name":"style"}]}"#;
        let titles = r#"{"name":"review","title":"Review","description":"Looks at code.","arguments":[{"name":"code","title":"Code","description":"The code.","required":true},{"name":"style"}],"_meta":{"example.com/key":1}}"#;
        let icons = r#"{"name":"review","title":"Review","description":"Looks at code.","arguments":[{"name":"code","title":"Code","description":"The code.","required":true},{"name":"style"}],"icons":[{"src":"https://example.com/i.png"}],"_meta":{"example.com/key":1}}"#;
        for (version, expected) in ProtocolVersion::ALL.into_iter().zip([old, old, titles, icons, icons]) {
            let mut out = Vec::new();
            write_prompt(&mut out, &full(), version);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{version}");
        }
    }

    // rows: PRMT-4
    #[test]
    fn a_result_has_messages_of_one_block() {
        let wire = json!({
            "description": "Looks at code.",
            "messages": [
                { "role": "user", "content": { "type": "text", "text": "Look." } },
                { "role": "assistant", "content": { "type": "text", "text": "Where?" } },
            ],
        });
        let result = GetPromptResult {
            description: Some("Looks at code.".into()),
            messages: vec![PromptMessage::user("Look."), PromptMessage::assistant(TextContent::new("Where?"))],
            meta: None,
        };
        assert_eq!(serde_json::to_value(&result).unwrap(), wire);
        assert_eq!(serde_json::from_value::<GetPromptResult>(wire).unwrap(), result);
    }

    // rows: PRMT-4
    #[test]
    fn a_link_in_a_message_is_words_before_2025_06_18() {
        let message = PromptMessage::user(ResourceLink::new("shop://catalog", "catalog"));
        let words = r#"{"role":"user","content":{"type":"text","text":"catalog: shop://catalog"}}"#;
        let link = r#"{"role":"user","content":{"type":"resource_link","uri":"shop://catalog","name":"catalog"}}"#;
        for (version, expected) in ProtocolVersion::ALL.into_iter().zip([words, words, link, link, link]) {
            let mut out = Vec::new();
            write_prompt_message(&mut out, &message, version);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{version}");
        }
    }
}
