//! What a server asks the client's model, and what the model answered.
//!
//! Specification: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::tools::present;
use super::{AudioContent, ContentBlock, ImageContent, ProtocolVersion, Role, TextContent, Tool};

/// A question to the client's model. The client may change it, or refuse.
///
/// ```
/// use mcp_server::protocol::{CreateMessageParams, SamplingMessage};
///
/// let question = CreateMessageParams {
///     system_prompt: Some("Answer in one word.".into()),
///     ..CreateMessageParams::new([SamplingMessage::user("What is the capital of France?")], 100)
/// };
/// assert_eq!(question.max_tokens, 100);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// How many tokens the answer may have.
    pub max_tokens: u64,
    /// Which model would be good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// What the model is told before the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Whose context the client adds; none unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How freely the model chooses its words, on the scale of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The answer ends before one of these texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
    /// For the provider of the model, in its own form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// The tools that the model may ask for: the server itself then calls them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Whether the model must ask for a tool; it may unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
}

impl CreateMessageParams {
    /// A conversation, and how many tokens the answer may have.
    pub fn new(messages: impl IntoIterator<Item = SamplingMessage>, max_tokens: u64) -> Self {
        Self { messages: messages.into_iter().collect(), max_tokens, ..Self::default() }
    }
}

/// Whose context a client adds to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IncludeContext {
    /// Nobody's.
    None,
    /// That of the server that asks. Only for clients that declare `sampling.context`.
    ThisServer,
    /// That of all servers of the client. Only for clients that declare `sampling.context`.
    AllServers,
}

/// Which model would be good: names first, then what matters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Models, the best one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<ModelHint>,
    /// How much a low price matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<f64>,
    /// How much speed matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<f64>,
    /// How much intelligence matters, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<f64>,
}

impl ModelPreferences {
    /// The first model that is hinted at: the hints are looked through in their order, and each is a part of a name.
    /// `None`: nothing that there is was hinted at, and the priorities are to decide.
    ///
    /// ```
    /// use mcp_server::protocol::{ModelHint, ModelPreferences};
    ///
    /// let hints = ["opus", "sonnet"].map(|name| ModelHint { name: Some(name.into()) }).to_vec();
    /// let preferences = ModelPreferences { hints, ..ModelPreferences::default() };
    /// assert_eq!(preferences.hinted(["haiku-5", "sonnet-5"]), Some("sonnet-5"));
    /// assert_eq!(preferences.hinted(["haiku-5"]), None);
    /// ```
    pub fn hinted<'m>(&self, models: impl IntoIterator<Item = &'m str>) -> Option<&'m str> {
        let models: Vec<&str> = models.into_iter().collect();
        let names = self.hints.iter().filter_map(|hint| hint.name.as_deref());
        names.into_iter().find_map(|name| models.iter().copied().find(|model| model.contains(name)))
    }
}

/// A model that would be good.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelHint {
    /// A part of its name, such as `sonnet`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Whether the model must ask for a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolChoice {
    /// It may unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
}

/// Whether the model must ask for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoiceMode {
    /// It may.
    Auto,
    /// It must.
    Required,
    /// It must not.
    None,
}

/// What one side of the conversation with the model says.
///
/// ```
/// use mcp_server::protocol::SamplingMessage;
///
/// let message = SamplingMessage::user("hello");
/// assert_eq!(
///     serde_json::to_string(&message).unwrap(),
///     r#"{"role":"user","content":{"type":"text","text":"hello"}}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplingMessage {
    /// Who says it.
    pub role: Role,
    /// What is said, in one block or more.
    #[serde(with = "one_or_many")]
    pub content: Vec<SamplingContent>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl SamplingMessage {
    /// What the person says, in one block.
    pub fn user(content: impl Into<SamplingContent>) -> Self {
        Self { role: Role::User, content: vec![content.into()], meta: None }
    }

    /// What the model says, in one block.
    pub fn assistant(content: impl Into<SamplingContent>) -> Self {
        Self { role: Role::Assistant, content: vec![content.into()], meta: None }
    }
}

/// One block of a conversation with the model. A kind that is not known here is kept as it came.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SamplingContent {
    /// Words.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// A sound.
    Audio(AudioContent),
    /// The model asks for a tool.
    ToolUse(ToolUseContent),
    /// What the tool gave.
    ToolResult(ToolResultContent),
    /// A kind of block that is not known here.
    #[serde(untagged)]
    Unknown(Value),
}

impl SamplingContent {
    /// The words, if it is a block of words.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

// The tag decides what is read, so that an error names the member that is wrong.
impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = |error: serde_json::Error| serde::de::Error::custom(error);
        Ok(match value.get("type").and_then(Value::as_str) {
            Some("text") => Self::Text(serde_json::from_value(value).map_err(read)?),
            Some("image") => Self::Image(serde_json::from_value(value).map_err(read)?),
            Some("audio") => Self::Audio(serde_json::from_value(value).map_err(read)?),
            Some("tool_use") => Self::ToolUse(serde_json::from_value(value).map_err(read)?),
            Some("tool_result") => Self::ToolResult(serde_json::from_value(value).map_err(read)?),
            Some(_) => Self::Unknown(value),
            None => return Err(serde::de::Error::custom("`type` is missing: a string")),
        })
    }
}

macro_rules! blocks {
    ($($variant:ident $block:ty),*) => {$(
        impl From<$block> for SamplingContent {
            fn from(block: $block) -> Self {
                Self::$variant(block)
            }
        }
    )*};
}

blocks!(
    Text TextContent,
    Image ImageContent,
    Audio AudioContent,
    ToolUse ToolUseContent,
    ToolResult ToolResultContent
);

impl From<String> for SamplingContent {
    fn from(text: String) -> Self {
        Self::Text(TextContent::new(text))
    }
}

impl From<&str> for SamplingContent {
    fn from(text: &str) -> Self {
        Self::Text(TextContent::new(text))
    }
}

/// The model asks for a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolUseContent {
    /// What the result names this request by.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub input: Map<String, Value>,
    /// Data for programs; it belongs into what is sent of this block later.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// What a tool gave that the model asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultContent {
    /// The [`id`](ToolUseContent::id) of the model's request.
    pub tool_use_id: String,
    /// What the model reads.
    pub content: Vec<ContentBlock>,
    /// What programs read: any JSON, `null` included, which is another thing than none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub structured_content: Option<Value>,
    /// Whether the tool failed; then the content tells the model why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Data for programs; it belongs into what is sent of this block later.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

/// What the model answered.
///
/// ```
/// use mcp_server::protocol::CreateMessageResult;
///
/// let answer = r#"{"role":"assistant","content":{"type":"text","text":"Paris"},"model":"m","stopReason":"endTurn"}"#;
/// let answer: CreateMessageResult = serde_json::from_str(answer).unwrap();
/// assert_eq!(answer.text(), "Paris");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// Who says it: the model.
    pub role: Role,
    /// What it says, in one block or more.
    #[serde(with = "one_or_many")]
    pub content: Vec<SamplingContent>,
    /// The name of the model.
    pub model: String,
    /// Why it ended: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a word of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl CreateMessageResult {
    /// All words of the answer, block after block, each on lines of its own.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(SamplingContent::as_text).collect();
        texts.join("\n")
    }
}

/// One block is written as it is, which all revisions know; any other number as an array.
mod one_or_many {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    use super::SamplingContent;

    pub(super) fn serialize<S: Serializer>(blocks: &[SamplingContent], serializer: S) -> Result<S::Ok, S::Error> {
        match blocks {
            [block] => block.serialize(serializer),
            blocks => blocks.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SamplingContent>, D::Error> {
        let read = |error: serde_json::Error| serde::de::Error::custom(error);
        match Value::deserialize(deserializer)? {
            blocks @ Value::Array(_) => serde_json::from_value(blocks).map_err(read),
            block => Ok(vec![serde_json::from_value(block).map_err(read)?]),
        }
    }
}

/// Whether each request for a tool is followed by its result, and results stand by themselves.
///
/// "User messages containing tool results MUST contain only tool results", and each tool use "MUST be followed by a
/// user message" whose results match it (Sampling, Message Content Constraints).
///
/// # Errors
///
/// The message that is wrong, counted from 0, and what would be right.
pub(crate) fn check(params: &CreateMessageParams) -> Result<(), String> {
    let mut asked = BTreeSet::new();
    for (at, message) in params.messages.iter().enumerate() {
        let mut answered = BTreeSet::new();
        for block in &message.content {
            if let SamplingContent::ToolResult(result) = block {
                answered.insert(result.tool_use_id.as_str());
            }
        }
        if !answered.is_empty() {
            if message.role != Role::User {
                return Err(format!("`messages[{at}]` has a tool result, which only a user message can have"));
            }
            if message.content.iter().any(|block| !matches!(block, SamplingContent::ToolResult(_))) {
                return Err(format!(
                    "`messages[{at}]` has a tool result beside other blocks: put those into a message of their own"
                ));
            }
            if let Some(id) = answered.difference(&asked).next() {
                return Err(format!(
                    "`messages[{at}]` has a result for the tool use `{id}`, which the message before does not have"
                ));
            }
        }
        if let Some(id) = asked.difference(&answered).next() {
            return Err(format!("`messages[{at}]` must answer the tool use `{id}` of the message before"));
        }
        asked.clear();
        for block in &message.content {
            if let SamplingContent::ToolUse(tool_use) = block {
                asked.insert(tool_use.id.as_str());
            }
        }
        if !asked.is_empty() && message.role != Role::Assistant {
            return Err(format!("`messages[{at}]` asks for a tool, which only an assistant message can do"));
        }
    }
    match asked.first() {
        Some(id) => {
            Err(format!("the last message asks for the tool use `{id}`: a user message with its result is missing"))
        }
        None => Ok(()),
    }
}

/// The params as a client of `version` can read them.
///
/// # Errors
///
/// What the revision does not know and could not be left out.
pub(crate) fn for_version(mut params: CreateMessageParams, version: ProtocolVersion) -> Result<Value, String> {
    if version < ProtocolVersion::V2025_11_25 {
        if !params.tools.is_empty() || params.tool_choice.is_some() {
            return Err(format!("tools need protocol version 2025-11-25 or later, and the client speaks {version}"));
        }
        for (at, message) in params.messages.iter_mut().enumerate() {
            message.meta = None;
            let [block] = &mut message.content[..] else {
                return Err(format!(
                    "`messages[{at}]` has {} blocks: before 2025-11-25 a message has one, and the client speaks {version}",
                    message.content.len()
                ));
            };
            *block = match block.clone() {
                SamplingContent::Text(block) => block.older(version).into(),
                SamplingContent::Image(block) => block.older(version).into(),
                SamplingContent::Audio(block) if version >= ProtocolVersion::V2025_03_26 => block.older(version).into(),
                block => {
                    return Err(format!("`messages[{at}]` has {}, and the client speaks {version}", lacking(&block)));
                }
            };
        }
    } else if !version.is_modern() {
        // 2025-11-25 has only objects as structured values, and the blocks say the same.
        for tool in &mut params.tools {
            tool.output_schema = tool.output_schema.take().filter(|schema| schema["type"] == "object");
        }
        for block in params.messages.iter_mut().flat_map(|message| &mut message.content) {
            if let SamplingContent::ToolResult(result) = block {
                result.structured_content = result.structured_content.take().filter(Value::is_object);
            }
        }
    }
    Ok(serde_json::to_value(params).expect("params are plain data"))
}

/// What a block is that an old revision does not know, and since when it is known.
fn lacking(block: &SamplingContent) -> String {
    match block {
        SamplingContent::Audio(_) => "a sound, which needs protocol version 2025-03-26 or later".to_owned(),
        SamplingContent::ToolUse(_) | SamplingContent::ToolResult(_) => {
            "a tool block, which needs protocol version 2025-11-25 or later".to_owned()
        }
        SamplingContent::Unknown(block) => {
            format!("a block of type {}, which is not known before 2025-11-25", block["type"])
        }
        SamplingContent::Text(_) | SamplingContent::Image(_) => unreachable!("all revisions know words and pictures"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::Annotations;

    fn ask(id: &str) -> SamplingContent {
        ToolUseContent { id: id.into(), name: "add".into(), ..ToolUseContent::default() }.into()
    }

    fn result(id: &str) -> SamplingContent {
        let content = vec![ContentBlock::text("5")];
        ToolResultContent { tool_use_id: id.into(), content, ..ToolResultContent::default() }.into()
    }

    fn user(content: Vec<SamplingContent>) -> SamplingMessage {
        SamplingMessage { role: Role::User, content, meta: None }
    }

    fn assistant(content: Vec<SamplingContent>) -> SamplingMessage {
        SamplingMessage { role: Role::Assistant, content, meta: None }
    }

    // rows: SAMP-3
    #[test]
    fn all_params_come_back_and_what_is_not_set_is_not_written() {
        let wire = json!({
            "messages": [{ "role": "user", "content": { "type": "text", "text": "hi" }, "_meta": { "a": 1 } }],
            "maxTokens": 100,
            "modelPreferences": {
                "hints": [{ "name": "sonnet" }, {}],
                "costPriority": 0.25,
                "speedPriority": 0.5,
                "intelligencePriority": 1.0,
            },
            "systemPrompt": "Be brief.",
            "includeContext": "thisServer",
            "temperature": 0.5,
            "stopSequences": ["END"],
            "metadata": { "user": "ada" },
            "tools": [{ "name": "add", "inputSchema": { "type": "object" } }],
            "toolChoice": { "mode": "required" },
        });
        let params: CreateMessageParams = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(params.include_context, Some(IncludeContext::ThisServer));
        assert_eq!(serde_json::to_value(&params).unwrap(), wire);
        assert_eq!(
            serde_json::to_string(&CreateMessageParams::new([SamplingMessage::assistant("hi")], 7)).unwrap(),
            r#"{"messages":[{"role":"assistant","content":{"type":"text","text":"hi"}}],"maxTokens":7}"#
        );
        for mode in ["auto", "required", "none"] {
            let choice: ToolChoice = serde_json::from_value(json!({ "mode": mode })).unwrap();
            assert_eq!(serde_json::to_value(choice).unwrap(), json!({ "mode": mode }));
        }
    }

    // rows: SAMP-4
    #[test]
    fn one_block_is_no_array_and_both_are_read() {
        let text = json!({ "type": "text", "text": "hi" });
        let blocks = json!([
            text,
            { "type": "image", "data": "AAE=", "mimeType": "image/png" },
            { "type": "audio", "data": "AAE=", "mimeType": "audio/wav" },
            { "type": "tool_use", "id": "1", "name": "add", "input": { "a": 1 }, "_meta": { "k": 1 } },
            { "type": "tool_result", "toolUseId": "1", "content": [text], "structuredContent": null, "isError": true },
            { "type": "tool_result", "toolUseId": "1", "content": [] },
            { "type": "video", "data": "AAE=" },
        ]);
        for content in [text.clone(), blocks, json!([])] {
            let wire = json!({ "role": "user", "content": content });
            let message: SamplingMessage = serde_json::from_value(wire.clone()).unwrap();
            assert_eq!(serde_json::to_value(&message).unwrap(), wire);
        }
        let one: SamplingMessage = serde_json::from_value(json!({ "role": "user", "content": [text] })).unwrap();
        assert_eq!(one, SamplingMessage::user("hi"));
        let wrong = serde_json::from_value::<SamplingMessage>(json!({ "role": "user", "content": { "type": "text" } }));
        assert_eq!(wrong.unwrap_err().to_string(), "missing field `text`");
    }

    // rows: SAMP-6
    #[test]
    fn an_answer_has_a_model_and_perhaps_a_reason_to_end() {
        for reason in ["endTurn", "stopSequence", "maxTokens", "toolUse", "refusal"] {
            let wire = json!({
                "role": "assistant",
                "content": [{ "type": "text", "text": "one" }, { "type": "text", "text": "two" }],
                "model": "m-1",
                "stopReason": reason,
            });
            let answer: CreateMessageResult = serde_json::from_value(wire.clone()).unwrap();
            assert_eq!((answer.text().as_str(), answer.stop_reason.as_deref()), ("one\ntwo", Some(reason)));
            assert_eq!(serde_json::to_value(&answer).unwrap(), wire);
        }
    }

    // rows: SAMP-5
    #[test]
    fn each_tool_use_is_answered_at_once_and_results_stand_alone() {
        let question = || SamplingMessage::user("2 + 3, and 1 + 1?");
        let both = || assistant(vec!["Let me see.".into(), ask("a"), ask("b")]);
        let answers = || user(vec![result("b"), result("a")]);
        for (messages, expected) in [
            (vec![question()], None),
            (vec![question(), both(), answers()], None),
            (vec![question(), both(), answers(), assistant(vec![ask("a")]), user(vec![result("a")])], None),
            (
                vec![question(), both(), user(vec![result("a"), "and?".into(), result("b")])],
                Some("`messages[2]` has a tool result beside other blocks: put those into a message of their own"),
            ),
            (
                vec![question(), both(), user(vec![result("a")])],
                Some("`messages[2]` must answer the tool use `b` of the message before"),
            ),
            (
                vec![question(), both(), question(), answers()],
                Some("`messages[2]` must answer the tool use `a` of the message before"),
            ),
            (
                vec![question(), both()],
                Some("the last message asks for the tool use `a`: a user message with its result is missing"),
            ),
            (
                vec![question(), answers()],
                Some("`messages[1]` has a result for the tool use `a`, which the message before does not have"),
            ),
            (
                vec![question(), both(), assistant(vec![result("a"), result("b")])],
                Some("`messages[2]` has a tool result, which only a user message can have"),
            ),
            (vec![user(vec![ask("a")])], Some("`messages[0]` asks for a tool, which only an assistant message can do")),
        ] {
            assert_eq!(check(&CreateMessageParams::new(messages, 10)).err().as_deref(), expected);
        }
    }

    // rows: SAMP-4
    #[test]
    fn a_revision_gets_what_it_can_carry() {
        let text = TextContent {
            annotations: Some(Annotations {
                priority: Some(1.0),
                last_modified: Some("2026".into()),
                ..Annotations::default()
            }),
            meta: Some(Map::new()),
            ..TextContent::new("hi")
        };
        let message = SamplingMessage { meta: Some(Map::new()), ..SamplingMessage::user(text) };
        let old =
            json!({ "role": "user", "content": { "type": "text", "text": "hi", "annotations": { "priority": 1.0 } } });
        let mut june = old.clone();
        june["content"]["annotations"]["lastModified"] = json!("2026");
        june["content"]["_meta"] = json!({});
        let mut new = june.clone();
        new["_meta"] = json!({});
        for (version, expected) in ProtocolVersion::ALL.into_iter().zip([&old, &old, &june, &new, &new]) {
            let params = for_version(CreateMessageParams::new([message.clone()], 10), version).unwrap();
            assert_eq!(&params["messages"][0], expected, "{version}");
        }
    }

    // rows: SAMP-4
    #[test]
    fn what_a_revision_cannot_carry_is_said() {
        let tool: Tool = serde_json::from_value(json!({ "name": "add", "inputSchema": { "type": "object" } })).unwrap();
        let sound = || SamplingMessage::user(AudioContent::new([0], "audio/wav"));
        let video = SamplingContent::Unknown(json!({ "type": "video" }));
        let with_tools = CreateMessageParams { tools: vec![tool], ..CreateMessageParams::new([], 10) };
        let [november_24, march, june, ..] = ProtocolVersion::ALL;
        for (params, version, fault) in [
            (with_tools, june, "tools need protocol version 2025-11-25 or later, and the client speaks 2025-06-18"),
            (
                CreateMessageParams::new([sound()], 10),
                november_24,
                "`messages[0]` has a sound, which needs protocol version 2025-03-26 or later, and the client speaks 2024-11-05",
            ),
            (
                CreateMessageParams::new([user(vec!["a".into(), "b".into()])], 10),
                march,
                "`messages[0]` has 2 blocks: before 2025-11-25 a message has one, and the client speaks 2025-03-26",
            ),
            (
                CreateMessageParams::new([assistant(vec![ask("a")])], 10),
                june,
                "`messages[0]` has a tool block, which needs protocol version 2025-11-25 or later, and the client speaks 2025-06-18",
            ),
            (
                CreateMessageParams::new([user(vec![video])], 10),
                june,
                "`messages[0]` has a block of type \"video\", which is not known before 2025-11-25, and the client speaks 2025-06-18",
            ),
        ] {
            assert_eq!(for_version(params.clone(), version).unwrap_err(), fault);
            assert!(for_version(params, ProtocolVersion::V2025_11_25).is_ok());
        }
        assert!(for_version(CreateMessageParams::new([sound()], 10), march).is_ok());
    }

    #[test]
    fn only_objects_are_structured_values_in_2025_11_25() {
        let mut params = CreateMessageParams::new([assistant(vec![ask("a")]), user(vec![result("a")])], 10);
        for (value, kept) in [(json!([1]), false), (json!(null), false), (json!({ "a": 1 }), true)] {
            let SamplingContent::ToolResult(result) = &mut params.messages[1].content[0] else { unreachable!() };
            result.structured_content = Some(value.clone());
            for (version, kept) in [(ProtocolVersion::V2025_11_25, kept), (ProtocolVersion::V2026_07_28, true)] {
                let written = for_version(params.clone(), version).unwrap();
                let block = &written["messages"][1]["content"];
                assert_eq!(block.get("structuredContent"), kept.then_some(&value), "{version}");
            }
        }
    }
}
