//! Reading a result: by the method that was asked for, never by what it looks like.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::CallError;
use crate::protocol::{CallToolResult, ContentBlock, Text, Tool, present};

/// The members that a result may have beside those of its method.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kind<'a> {
    #[serde(borrow)]
    result_type: Option<Text<'a>>,
    request_state: Option<String>,
    #[serde(default)]
    input_requests: Map<String, Value>,
}

/// Reads a result that can only be complete.
pub(crate) fn complete<T: DeserializeOwned>(result: &RawValue) -> Result<T, CallError> {
    let kind: Kind<'_> = read("", result)?;
    match kind.result_type.as_ref().map(|text| &*text.0) {
        // "Clients MUST treat a missing `resultType` as `complete`" (basic, ResultType).
        None | Some("complete") => read("", result),
        Some(other) => Err(CallError::UnknownResultType { result_type: clip(other) }),
    }
}

/// Reads a result of a method that may ask for input before it is complete.
fn complete_or_asking<T: DeserializeOwned>(result: &RawValue) -> Result<T, CallError> {
    match complete(result) {
        Err(CallError::UnknownResultType { result_type }) if result_type == "input_required" => {
            let Kind { request_state, input_requests, .. } = read("", result)?;
            Err(CallError::InputRequired { request_state, input_requests })
        }
        read => read,
    }
}

/// Reads the result of `tools/call`.
pub(crate) fn call_tool(result: &RawValue) -> Result<CallToolResult, CallError> {
    /// Like [`CallToolResult`], with the blocks still raw, so that an error can tell which one is wrong.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members {
        content: Vec<Box<RawValue>>,
        #[serde(default, deserialize_with = "present")]
        structured_content: Option<Box<RawValue>>,
        is_error: Option<bool>,
        #[serde(rename = "_meta")]
        meta: Option<Map<String, Value>>,
    }
    let Members { content, structured_content, is_error, meta } = complete_or_asking(result)?;
    let blocks = content.iter().enumerate().map(|(at, block)| content_block(&format!("content[{at}]"), block));
    Ok(CallToolResult {
        content: blocks.collect::<Result<_, _>>()?,
        structured_content,
        is_error: is_error.unwrap_or(false),
        meta,
    })
}

fn content_block(path: &str, block: &RawValue) -> Result<ContentBlock, CallError> {
    #[derive(Deserialize)]
    struct Tag<'a> {
        #[serde(borrow, rename = "type")]
        tag: Text<'a>,
    }
    let Tag { tag } = read(path, block)?;
    Ok(match &*tag.0 {
        "text" => ContentBlock::Text(read(path, block)?),
        "image" => ContentBlock::Image(read(path, block)?),
        "audio" => ContentBlock::Audio(read(path, block)?),
        "resource_link" => ContentBlock::ResourceLink(read(path, block)?),
        "resource" => ContentBlock::Resource(read(path, block)?),
        _ => ContentBlock::Unknown(read(path, block)?),
    })
}

/// One page of `tools/list`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListToolsPage {
    pub(crate) tools: Vec<Tool>,
    pub(crate) next_cursor: Option<String>,
}

/// Reads the object `json` as a `T`; an error tells the place, from `path` on.
fn read<'a, T: Deserialize<'a>>(path: &str, json: &'a RawValue) -> Result<T, CallError> {
    // A derived reader would take an array too.
    if !json.get().starts_with('{') {
        let reason = format!("expected an object, got `{}`", clip(json.get()));
        return Err(CallError::InvalidResult { path: path.to_owned(), reason });
    }
    let mut deserializer = serde_json::Deserializer::from_str(json.get());
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let inner = match error.path().to_string() {
            whole if whole == "." => String::new(),
            inner => inner,
        };
        invalid(path, &inner, &error.into_inner())
    })
}

fn invalid(path: &str, inner: &str, error: &serde_json::Error) -> CallError {
    let text = error.to_string();
    // The place in the line says nothing to a reader who never sees the line.
    let text = text.rsplit_once(" at line ").map_or(&*text, |(text, _)| text);
    let missing = text.strip_prefix("missing field `").and_then(|text| text.strip_suffix('`'));
    let mut full = path.to_owned();
    for part in [Some(inner), missing].into_iter().flatten().filter(|part| !part.is_empty()) {
        if !full.is_empty() && !part.starts_with('[') {
            full.push('.');
        }
        full += part;
    }
    let reason = if missing.is_some() { "missing".to_owned() } else { clip(text) };
    CallError::InvalidResult { path: full, reason }
}

/// Error texts stay short whatever was sent.
fn clip(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<CallToolResult, CallError> {
        call_tool(serde_json::from_str(json).unwrap())
    }

    #[track_caller]
    fn error(json: &str) -> String {
        read(json).unwrap_err().to_string()
    }

    #[test]
    fn an_error_names_the_member_that_is_wrong() {
        let cases = [
            (r#"{"content":[{"type":"text"}]}"#, "content[0].text: missing"),
            (r#"{"content":[{"type":"text","text":"a"},{"text":"b"}]}"#, "content[1].type: missing"),
            (
                r#"{"content":[{"type":"text","text":7}]}"#,
                "content[0].text: invalid type: integer `7`, expected a string",
            ),
            (r#"{"content":[{"type":"resource","resource":{}}]}"#, "content[0].resource.uri: missing"),
            (r#"{"content":[5]}"#, "content[0]: expected an object, got `5`"),
            (r#"{"content":"a"}"#, "content: invalid type: string \"a\", expected a sequence"),
            (r"{}", "content: missing"),
            (r#"{"content":[],"isError":"no"}"#, "isError: invalid type: string \"no\", expected a boolean"),
        ];
        for (json, expected) in cases {
            assert_eq!(error(json), format!("the answer can't be read: {expected}"), "{json}");
        }
    }

    #[test]
    fn null_is_a_structured_value() {
        let result = read(r#"{"content":[],"structuredContent":null}"#).unwrap();
        assert_eq!(result.structured_content.unwrap().get(), "null");
        assert!(read(r#"{"content":[]}"#).unwrap().structured_content.is_none());
    }
}
