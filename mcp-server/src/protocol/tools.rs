//! Tools: what a server lists, and what a call gives back.
//!
//! Specification: [Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools).

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::message::null_is_default;
use super::{ContentBlock, Icon};

/// A tool as `tools/list` shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The name to call it by.
    pub name: String,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments: always of an object.
    pub input_schema: Value,
    /// The JSON Schema of its structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints about what it does to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Pictures of it.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl Tool {
    /// The name for people: the title, or else that of the annotations, or else the name itself.
    ///
    /// ```
    /// use mcp_server::protocol::Tool;
    ///
    /// let tool: Tool = serde_json::from_str(r#"{ "name": "add", "inputSchema": { "type": "object" } }"#).unwrap();
    /// assert_eq!(tool.display_name(), "add");
    /// ```
    pub fn display_name(&self) -> &str {
        let of_annotations = || self.annotations.as_ref().and_then(|annotations| annotations.title.as_deref());
        self.title.as_deref().or_else(of_annotations).unwrap_or(&self.name)
    }
}

/// Hints about what a tool does, as its server tells them: to be trusted as far as the server is.
///
/// What is not set has the default that the specification gives, which the methods know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// A name for people; [`Tool::title`] goes before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may destroy something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It reaches into a world that its server does not own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

impl ToolAnnotations {
    /// Whether it changes nothing; `false` unless said.
    pub fn read_only(&self) -> bool {
        self.read_only_hint.unwrap_or(false)
    }

    /// Whether it may destroy something; `true` unless said, and `false` for a tool that only reads.
    pub fn destructive(&self) -> bool {
        !self.read_only() && self.destructive_hint.unwrap_or(true)
    }

    /// Whether it can be called again without harm; `false` unless said, and `true` for a tool that only reads.
    pub fn idempotent(&self) -> bool {
        self.read_only() || self.idempotent_hint.unwrap_or(false)
    }

    /// Whether it reaches into a world that its server does not own; `true` unless said.
    pub fn open_world(&self) -> bool {
        self.open_world_hint.unwrap_or(true)
    }
}

/// What a call gave: blocks for the model, and perhaps a value for programs.
///
/// ```
/// use mcp_server::protocol::CallToolResult;
///
/// let result = CallToolResult::from_text("done");
/// assert_eq!(result.text(), "done");
/// assert!(!result.is_error);
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// What the model reads.
    pub content: Vec<ContentBlock>,
    /// What programs read: any JSON, `null` included, which is another thing than none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub structured_content: Option<Box<RawValue>>,
    /// Whether the tool failed; then the content tells the model why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl CallToolResult {
    /// A result of words.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// A failure that the model reads.
    pub fn from_error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::from_text(text) }
    }

    /// All words of the result, block after block, each on lines of its own.
    ///
    /// ```
    /// use mcp_server::protocol::{CallToolResult, ContentBlock};
    ///
    /// let result = CallToolResult {
    ///     content: vec![ContentBlock::text("one"), ContentBlock::text("two")],
    ///     ..CallToolResult::default()
    /// };
    /// assert_eq!(result.text(), "one\ntwo");
    /// ```
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(ContentBlock::as_text).collect();
        texts.join("\n")
    }

    /// The structured value, as a type of yours.
    ///
    /// # Errors
    ///
    /// When there is none, or when it does not fit the type.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        match &self.structured_content {
            Some(raw) => serde_json::from_str(raw.get()),
            None => Err(serde::de::Error::custom("the result has no structured content")),
        }
    }
}

/// `null` is a value here, where an `Option` would take it for none.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
