//! Reading a result: by the method that was asked for, never by what it looks like.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::CallError;
use super::pages::sealed::Sealed;
use crate::protocol::{
    CacheScope, CallToolResult, Completion, ContentBlock, GetPromptResult, PromptMessage, ReadResourceResult,
    ResourceContents, Role, Text, present,
};

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

/// What a result asks for before there is a complete one: the state and the questions.
pub(crate) fn input_required(result: &RawValue) -> Option<(Option<String>, Map<String, Value>)> {
    let kind: Kind<'_> = read("", result).ok()?;
    let asks = kind.result_type.as_ref().is_some_and(|text| &*text.0 == "input_required");
    asks.then_some((kind.request_state, kind.input_requests))
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
    let Members { content, structured_content, is_error, meta } = complete(result)?;
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

/// Reads the result of `resources/read`.
pub(crate) fn read_resource(result: &RawValue) -> Result<ReadResourceResult, CallError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members {
        contents: Vec<Box<RawValue>>,
        #[serde(default)]
        ttl_ms: Option<Value>,
        #[serde(default)]
        cache_scope: Option<Value>,
        #[serde(rename = "_meta")]
        meta: Option<Map<String, Value>>,
    }
    let Members { contents, ttl_ms, cache_scope, meta } = complete(result)?;
    let contents = contents.iter().enumerate().map(|(at, part)| read(&format!("contents[{at}]"), part));
    Ok(ReadResourceResult {
        contents: contents.collect::<Result<Vec<ResourceContents>, _>>()?,
        // For how long it may be kept is no reason to refuse what was read: what makes no sense says nothing.
        ttl_ms: ttl_ms.and_then(|ttl| ttl.as_u64()),
        cache_scope: cache_scope.and_then(|scope| serde_json::from_value::<CacheScope>(scope).ok()),
        meta,
    })
}

/// Reads the result of `prompts/get`.
pub(crate) fn get_prompt(result: &RawValue) -> Result<GetPromptResult, CallError> {
    #[derive(Deserialize)]
    struct Members {
        description: Option<String>,
        messages: Vec<Box<RawValue>>,
        #[serde(rename = "_meta")]
        meta: Option<Map<String, Value>>,
    }
    #[derive(Deserialize)]
    struct Message {
        role: Role,
        content: Box<RawValue>,
    }
    let Members { description, messages, meta } = complete(result)?;
    let messages = messages.iter().enumerate().map(|(at, message)| {
        let Message { role, content } = read(&format!("messages[{at}]"), message)?;
        Ok(PromptMessage { role, content: content_block(&format!("messages[{at}].content"), &content)? })
    });
    Ok(GetPromptResult { description, messages: messages.collect::<Result<_, _>>()?, meta })
}

/// Reads the result of `completion/complete`.
pub(crate) fn completion(result: &RawValue) -> Result<Completion, CallError> {
    #[derive(Deserialize)]
    struct Members {
        completion: Box<RawValue>,
    }
    let Members { completion } = complete(result)?;
    read("completion", &completion)
}

/// One page of a list.
#[derive(Debug)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_cursor: Option<String>,
    /// How long it was as JSON.
    pub(crate) bytes: usize,
}

/// Reads one page of a list. The items are read one by one, so that an error can tell which one is wrong.
pub(crate) fn page<T: Sealed>(result: &RawValue) -> Result<Page<T>, CallError> {
    let members: HashMap<String, Box<RawValue>> = complete(result)?;
    let fault =
        |path: &str, reason: &str| CallError::InvalidResult { path: path.to_owned(), reason: reason.to_owned() };
    let items = members.get(T::MEMBER).ok_or_else(|| fault(T::MEMBER, "missing"))?;
    let items: Vec<&RawValue> = serde_json::from_str(items.get()).map_err(|error| invalid(T::MEMBER, "", &error))?;
    let items = items.into_iter().enumerate().map(|(at, item)| read(&format!("{}[{at}]", T::MEMBER), item));
    let next_cursor = match members.get("nextCursor") {
        None => None,
        Some(cursor) => serde_json::from_str(cursor.get()).map_err(|error| invalid("nextCursor", "", &error))?,
    };
    Ok(Page { items: items.collect::<Result<_, _>>()?, next_cursor, bytes: result.get().len() })
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
pub(crate) fn clip(text: &str) -> String {
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
