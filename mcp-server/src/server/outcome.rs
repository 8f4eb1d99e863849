//! What a request comes to: a result of one of the methods, before it is bytes.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::chunk::Insert;
use super::tools::has_structure;
use super::{Core, Tool, respond};
use crate::protocol::{
    CacheScope, CallToolResult, Completion, ErrorObject, GetPromptResult, ProtocolVersion, ReadResourceResult,
    RequestId, ResourceContents, clip, write_content, write_integer, write_prompt_message, write_resource_contents,
};

/// The result of a request, by the method that gave it.
///
/// Specification: [Responses](https://modelcontextprotocol.io/specification/2026-07-28/basic#responses).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerResult {
    /// Of `tools/call`.
    CallTool(CallToolResult),
    /// Of `resources/read`.
    ReadResource(ReadResourceResult),
    /// Of `prompts/get`.
    GetPrompt(GetPromptResult),
    /// Of `completion/complete`.
    Complete(Completion),
    /// The client has to answer something first, and then asks again.
    InputRequired(InputRequiredResult),
    /// Of any other method.
    Other(OtherResult),
}

/// What a client has to answer before its request can be served.
///
/// Specification: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// The questions, each a method with its params, by a key of the server's.
    pub input_requests: Map<String, Value>,
    /// What the client sends back with its answers, unread; nothing where there is nothing to be remembered.
    pub request_state: Option<String>,
}

/// The result of a method that has no type here: of the lists, and of extensions.
#[derive(Clone, Debug)]
pub struct OtherResult {
    pub(crate) members: Members,
    pub(crate) keep: Keep,
    /// `complete`, unless an extension has its own.
    pub(crate) result_type: Cow<'static, str>,
    pub(crate) meta: Option<Map<String, Value>>,
}

/// The members of a result as JSON text, without the braces around them.
pub(crate) type Members = Arc<[u8]>;

/// Whether a result tells how long it may be kept (Caching).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It does: for so long, by whom.
    For(Caching),
    /// Results of its method never do.
    No,
}

/// For how long a result may be kept, and by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caching {
    pub(crate) ttl: Duration,
    pub(crate) scope: CacheScope,
}

impl OtherResult {
    /// A result of these members. A `resultType` among them is the result's, as with
    /// [`result_type`](Self::result_type).
    ///
    /// ```
    /// use mcp_server::OtherResult;
    /// use serde_json::{Map, json};
    ///
    /// let members = Map::from_iter([("ticket".to_owned(), json!(7)), ("resultType".to_owned(), json!("com.example/ticket"))]);
    /// let result = OtherResult::new(members);
    /// assert_eq!(result.members().len(), 1);
    /// ```
    ///
    /// Specification: [`resultType`](https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype).
    ///
    /// # Panics
    ///
    /// When there is a `_meta` that is no object, or a `resultType` that is no text: no client could read it.
    #[track_caller]
    pub fn new(members: Map<String, Value>) -> Self {
        Self::read(members).unwrap_or_else(|fault| panic!("{fault}"))
    }

    /// # Errors
    ///
    /// What is wrong with the members that every result has.
    pub(crate) fn read(mut members: Map<String, Value>) -> Result<Self, String> {
        let fault = |name: &str, wanted: &str, value: &Value| {
            format!("the `{name}` of a result must be {wanted}, and is {}", crate::schema::describe(value))
        };
        let meta = match members.get_mut("_meta").map(Value::take) {
            None => None,
            Some(Value::Object(meta)) => Some(meta),
            Some(other) => return Err(fault("_meta", "an object", &other)),
        };
        let result_type = match members.get_mut("resultType").map(Value::take) {
            None => Cow::Borrowed(COMPLETE),
            Some(Value::String(result_type)) => Cow::Owned(result_type),
            Some(other) => return Err(fault("resultType", "a text", &other)),
        };
        // They are written with what the server adds to them. What is left keeps its order.
        members.retain(|name, _| name != "_meta" && name != "resultType");
        let text = Value::Object(members).to_string();
        Ok(Self { meta, result_type, ..Self::from_members(text.as_bytes()[1..text.len() - 1].into(), Keep::No) })
    }

    pub(crate) fn from_members(members: Members, keep: Keep) -> Self {
        Self { members, keep, result_type: Cow::Borrowed(COMPLETE), meta: None }
    }

    /// The same with a `resultType` of an extension's own.
    ///
    /// Specification: [`resultType`](https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype).
    #[must_use]
    pub fn result_type(self, result_type: impl Into<Cow<'static, str>>) -> Self {
        Self { result_type: result_type.into(), ..self }
    }

    /// The members of the result.
    pub fn members(&self) -> Map<String, Value> {
        let text = [b"{", &*self.members, b"}"].concat();
        serde_json::from_slice(&text).expect("they were written as JSON")
    }
}

pub(crate) const COMPLETE: &str = "complete";

/// What handlers, and all that stands around them, come to.
pub(crate) type Finished = Result<ServerResult, ErrorObject>;

/// A call that runs: gives its result, or is dropped when nobody waits for it any more.
pub(crate) type Running = Pin<Box<dyn Future<Output = Finished> + Send>>;

/// What was called, as far as its call has to know.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Tool(Tool),
    /// The same with layers around it: its time and its result are looked after inside of them.
    Layered(Tool),
    /// A stream of changes.
    Stream,
    /// A resource, a prompt, or a method: what it is, and its name as the client has it.
    Other(&'static str, Arc<str>),
}

impl Subject {
    pub(crate) fn timeout(&self) -> Option<Duration> {
        match self {
            Self::Tool(tool) => tool.0.timeout,
            Self::Layered(_) | Self::Stream | Self::Other(..) => None,
        }
    }

    /// Whether it is not to be tried where the connection is read, see [`Pace`](super::tool::Pace).
    pub(crate) fn is_slow(&self) -> bool {
        match self {
            Self::Tool(tool) | Self::Layered(tool) => tool.0.pace.is_slow(),
            Self::Stream | Self::Other(..) => false,
        }
    }

    /// Notes how a try went.
    pub(crate) fn tried(&self, slow: bool) {
        if let Self::Tool(tool) | Self::Layered(tool) = self {
            tool.0.pace.tried(slow);
        }
    }

    /// The same with layers around it.
    pub(crate) fn layered(self) -> Self {
        match self {
            Self::Tool(tool) => Self::Layered(tool),
            other => other,
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Tool(tool) | Self::Layered(tool) => tool.name(),
            Self::Stream => "subscriptions/listen",
            Self::Other(_, name) => name,
        }
    }

    /// What a client learns of a panic: not its text.
    pub(crate) fn failed(&self) -> ErrorObject {
        let noun = match self {
            Self::Tool(_) | Self::Layered(_) => "tool",
            Self::Stream => "method",
            Self::Other(noun, _) => noun,
        };
        ErrorObject::internal(format!("the {noun} `{}` failed unexpectedly", clip(self.name())))
    }
}

impl ServerResult {
    /// About how long it is, as far as it can be long: in texts and bytes.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::CallTool(result) => {
                let structure = result.structured_content.as_ref().map_or(0, |value| value.get().len());
                result.content.iter().fold(structure, |sum, block| sum + block.length())
            }
            Self::ReadResource(result) => result.contents.iter().map(ResourceContents::length).sum(),
            Self::GetPrompt(result) => result.messages.iter().map(|message| message.content.length()).sum(),
            Self::Other(result) => result.members.len(),
            Self::Complete(_) | Self::InputRequired(_) => 0,
        }
    }

    /// Writes the whole response.
    pub(crate) fn write(&self, out: &mut Vec<u8>, core: &Core, id: &RequestId, version: ProtocolVersion) {
        if let Some(insert) = self.write_around(out, core, id, version) {
            insert.put_back(out);
        }
    }

    /// Writes the response, but for what need not be copied.
    pub(crate) fn write_around(
        &self,
        out: &mut Vec<u8>,
        core: &Core,
        id: &RequestId,
        version: ProtocolVersion,
    ) -> Option<Insert> {
        let (meta, result_type): (Option<&Map<String, Value>>, &str) = match self {
            Self::CallTool(result) => (result.meta.as_ref(), COMPLETE),
            Self::ReadResource(result) => (result.meta.as_ref(), COMPLETE),
            Self::GetPrompt(result) => (result.meta.as_ref(), COMPLETE),
            Self::Complete(_) => (None, COMPLETE),
            Self::InputRequired(_) => (None, "input_required"),
            Self::Other(result) => (result.meta.as_ref(), &result.result_type),
        };
        respond::write_result(out, core, id, version, meta, result_type, |out| {
            match self {
                Self::CallTool(result) => write_call_tool(out, result, version),
                Self::ReadResource(result) => {
                    write_list(out, "contents", &result.contents, |out, contents| {
                        write_resource_contents(out, contents, version);
                    });
                    let of_server = core.caching;
                    let ttl = result.ttl_ms.map_or(of_server.ttl, Duration::from_millis);
                    let scope = result.cache_scope.unwrap_or(of_server.scope);
                    Keep::For(Caching { ttl, scope }).write(out, version);
                }
                Self::GetPrompt(result) => {
                    if let Some(description) = &result.description {
                        out.extend_from_slice(br#""description":"#);
                        write_json(out, description);
                        out.push(b',');
                    }
                    write_list(out, "messages", &result.messages, |out, message| {
                        write_prompt_message(out, message, version);
                    });
                }
                Self::Complete(completion) => {
                    out.extend_from_slice(br#""completion":"#);
                    write_json(out, completion);
                }
                Self::InputRequired(result) => {
                    out.extend_from_slice(br#""inputRequests":"#);
                    write_json(out, &result.input_requests);
                    if let Some(state) = &result.request_state {
                        out.extend_from_slice(br#","requestState":"#);
                        write_json(out, state);
                    }
                }
                Self::Other(result) => {
                    let insert = Insert::append(out, &result.members);
                    result.keep.write(out, version);
                    return insert;
                }
            }
            None
        })
    }
}

fn write_json(out: &mut Vec<u8>, value: &impl serde::Serialize) {
    serde_json::to_writer(out, value).expect("results are plain data");
}

fn write_list<T>(out: &mut Vec<u8>, name: &str, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(br#"":["#);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}

fn write_call_tool(out: &mut Vec<u8>, result: &CallToolResult, version: ProtocolVersion) {
    write_list(out, "content", &result.content, |out, block| write_content(out, block, version));
    if let Some(value) = result.structured_content.as_deref()
        && has_structure(version, value.get().starts_with('{'))
    {
        out.extend_from_slice(br#","structuredContent":"#);
        out.extend_from_slice(value.get().as_bytes());
    }
    if result.is_error {
        out.extend_from_slice(br#","isError":true"#);
    }
}

impl Keep {
    pub(crate) fn write(self, out: &mut Vec<u8>, version: ProtocolVersion) {
        if let Self::For(Caching { ttl, scope }) = self
            && version.is_modern()
        {
            let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
            let scope = match scope {
                CacheScope::Public => "public",
                CacheScope::Private => "private",
            };
            out.extend_from_slice(br#","ttlMs":"#);
            write_integer(out, ttl.into());
            out.extend_from_slice(br#","cacheScope":""#);
            out.extend_from_slice(scope.as_bytes());
            out.push(b'"');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_keep_their_order_without_the_meta_that_stood_among_them() {
        let Value::Object(members) = json!({ "_meta": { "a": 1 }, "b": 1, "c": 2, "d": 3 }) else { unreachable!() };
        let result = OtherResult::new(members);
        assert_eq!(Value::Object(result.members()).to_string(), r#"{"b":1,"c":2,"d":3}"#);
        assert_eq!(result.meta, json!({ "a": 1 }).as_object().cloned());
        assert_eq!(result.result_type, COMPLETE);
    }

    #[test]
    fn long_members_are_not_copied_and_stand_where_they_belong() {
        let core = crate::Server::new("shop").build();
        for (length, is_apart) in [(10, false), (5000, true)] {
            let result =
                ServerResult::Other(OtherResult::new(Map::from_iter([("a".to_owned(), json!("x".repeat(length)))])));
            for version in ProtocolVersion::ALL {
                let mut parts = Vec::new();
                let insert = result.write_around(&mut parts, &core, &RequestId::from(7), version);
                assert_eq!((insert.is_some(), parts.len() < 1000), (is_apart, true));
                let mut whole = Vec::new();
                result.write(&mut whole, &core, &RequestId::from(7), version);
                assert_eq!(crate::server::chunk::Chunk::new(parts, insert).into_bytes(), whole);
                let response: Value = serde_json::from_slice(&whole).unwrap();
                assert_eq!((&response["id"], response["result"]["a"].as_str().unwrap().len()), (&json!(7), length));
                assert_eq!(response["result"]["resultType"] == COMPLETE, version.is_modern());
            }
        }
    }

    // rows: RTYPE-1
    #[test]
    fn what_every_result_has_is_read_or_refused() {
        let read = |members: Value| OtherResult::read(members.as_object().cloned().unwrap());
        let result = read(json!({ "a": 1, "resultType": "com.example/ticket" })).unwrap();
        assert_eq!((&*result.members, &*result.result_type), (br#""a":1"#.as_slice(), "com.example/ticket"));
        for (members, fault) in [
            (json!({ "_meta": 7 }), "the `_meta` of a result must be an object, and is the number 7"),
            (json!({ "_meta": null }), "the `_meta` of a result must be an object, and is null"),
            (json!({ "resultType": 7 }), "the `resultType` of a result must be a text, and is the number 7"),
        ] {
            assert_eq!(read(members).unwrap_err(), fault);
        }
    }

    #[test]
    fn a_long_name_is_not_sent_back_as_a_whole() {
        let error = Subject::Other("resource", "x".repeat(1 << 20).into()).failed();
        assert!(error.message.len() < 200, "{}", error.message.len());
    }
}
