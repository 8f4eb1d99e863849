//! The envelope of every message: JSON-RPC 2.0, as the protocol narrows it.
//!
//! Specification: [Messages](https://modelcontextprotocol.io/specification/2026-07-28/basic#messages).

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

#[cfg(feature = "client")]
use serde::de::Visitor;
use serde::de::{self, Deserialize, Deserializer, IgnoredAny};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::json::{Fault, RawJson, Scanner, write_string};
use super::{ErrorObject, Meta};

/// The id of a request: a string or an integer. `7` and `"7"` are two ids.
///
/// ```
/// use mcp_server::protocol::RequestId;
///
/// assert_ne!(RequestId::from(7), RequestId::from("7"));
/// assert_eq!(RequestId::from("7").to_string(), "\"7\"");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(Id);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Id {
    /// Wide enough for all 64-bit integers of either sign, and to spare.
    Integer(i128),
    String(Box<str>),
}

impl RequestId {
    /// `None` when the JSON is neither a string nor an integer.
    pub(crate) fn read(json: RawJson<'_>) -> Option<Self> {
        if json.get().starts_with('"') {
            return json.string().map(|text| Self(Id::String(text.into())));
        }
        integral(json.get()).map(|number| Self(Id::Integer(number)))
    }

    /// Appends the id as JSON.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Id::Integer(number) => write_integer(out, *number),
            Id::String(text) => write_string(out, text),
        }
    }

    /// The id as an integer that fits 64 bits, which is what our own client sends.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Id::Integer(number) => u64::try_from(*number).ok(),
            Id::String(_) => None,
        }
    }
}

impl From<i64> for RequestId {
    fn from(id: i64) -> Self {
        Self(Id::Integer(id.into()))
    }
}

impl From<i32> for RequestId {
    fn from(id: i32) -> Self {
        Self(Id::Integer(id.into()))
    }
}

impl From<u64> for RequestId {
    fn from(id: u64) -> Self {
        Self(Id::Integer(id.into()))
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self(Id::String(id.into()))
    }
}

impl fmt::Display for RequestId {
    /// The id as JSON, so that the two kinds can be told apart.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut json = Vec::new();
        self.write(&mut json);
        f.write_str(&String::from_utf8_lossy(&json))
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Id::Integer(number) => number.serialize(serializer),
            Id::String(text) => text.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        Self::read(raw.into()).ok_or_else(|| de::Error::custom("an id is a string or an integer"))
    }
}

/// Appends an integer as JSON. Most fit 64 bits, which is quicker.
pub(crate) fn write_integer(out: &mut Vec<u8>, number: i128) {
    let mut buffer = itoa::Buffer::new();
    let digits = match i64::try_from(number) {
        Ok(number) => buffer.format(number),
        Err(_) => buffer.format(number),
    };
    out.extend_from_slice(digits.as_bytes());
}

/// The integer that a JSON number stands for: `7`, and `7.0` or `7e0` too, which JSON Schema calls integers as well.
pub(crate) fn integral(json: &str) -> Option<i128> {
    // Most fit 64 bits, which is quicker.
    if let Ok(number) = json.parse::<i64>() {
        return Some(number.into());
    }
    if json.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()) {
        return json.parse().ok();
    }
    let number: f64 = serde_json::from_str(json).ok()?;
    // Beyond 2^53 a number with a fraction or an exponent no longer says which integer it means.
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i128)
}

/// A string that is borrowed from the line when it holds no escapes.
#[cfg(feature = "client")]
#[derive(Debug)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

#[cfg(feature = "client")]
impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Characters;
        impl<'de> Visitor<'de> for Characters {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        deserializer.deserialize_str(Characters)
    }
}

/// One message from the peer, with what it carries still raw.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    /// It wants an answer.
    Request { id: RequestId, method: Cow<'a, str>, params: Params<'a> },
    /// It wants none.
    Notification { method: Cow<'a, str>, params: Params<'a> },
    /// It is an answer to a request of ours.
    Response { id: Option<RequestId>, outcome: Result<RawJson<'a>, ErrorObject> },
}

/// Reads a type whose JSON is an object. By itself serde would take an array for one as well, its items for the members.
pub(crate) fn read_object<'a, T: Deserialize<'a>>(json: impl Into<RawJson<'a>>) -> serde_json::Result<T> {
    let json = json.into();
    if !json.is_object() {
        return Err(de::Error::custom("expected an object"));
    }
    json.read()
}

/// For members whose `null` is as good as none.
pub(crate) fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Why a text is no message, and to whom that may be said.
#[derive(Debug)]
pub(crate) struct Malformed {
    /// The id, where the message had a good one.
    pub(crate) id: Option<RequestId>,
    /// `None`: it is an answer, and answers are never answered, or two peers would complain to each other for ever.
    pub(crate) error: Option<Box<ErrorObject>>,
}

impl Malformed {
    pub(crate) fn new(id: Option<RequestId>, error: ErrorObject) -> Self {
        Self { id, error: Some(Box::new(error)) }
    }
}

/// Whether a text holds a JSON array: several messages in one, which only 2025-03-26 knows.
pub(crate) fn is_batch(text: &str) -> bool {
    text.trim_ascii_start().starts_with('[')
}

/// The messages of a batch, each still raw. In all they may be nested as deep as one.
pub(crate) fn read_batch(text: &str, max_depth: usize) -> Result<Vec<&RawValue>, Malformed> {
    let mut scanner = Scanner::new(text, max_depth);
    if scanner.value() == Err(Fault::TooDeep) {
        return Err(Malformed::new(None, too_deep(max_depth)));
    }
    serde_json::from_str(text).map_err(|error| Malformed::new(None, not_json(&error)))
}

/// Reads the envelope of one message, and finds the members of its params.
///
/// `max_depth`: how deep arrays and objects may be nested.
pub(crate) fn read_message(text: &str, max_depth: usize) -> Result<Incoming<'_>, Malformed> {
    let invalid = |id: Option<RequestId>, message: &str| Malformed::new(id, ErrorObject::invalid_request(message));
    let members = match Envelope::read(text, max_depth) {
        Ok(Some(members)) => members,
        Ok(None) => return Err(invalid(None, "a message is a JSON object")),
        Err(Fault::TooDeep) => return Err(Malformed::new(None, too_deep(max_depth))),
        Err(Fault::NotJson) => return Err(Malformed::new(None, explained(text))),
    };

    let id = members.id.and_then(RequestId::read);
    if members.method.is_none_or(RawJson::is_null) && (members.result.is_some() || members.error.is_some()) {
        return members.response(id.clone()).ok_or(Malformed { id, error: None });
    }
    if members.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
        return Err(invalid(id, "`jsonrpc` must be \"2.0\""));
    }
    let Some(method) = members.method else { return Err(invalid(id, "`method` is missing")) };
    let Some(method) = method.string() else { return Err(invalid(id, "`method` must be a string")) };
    let params = members.params.unwrap_or_default();
    match (members.id, id) {
        (None, _) => Ok(Incoming::Notification { method, params }),
        (Some(_), Some(id)) => Ok(Incoming::Request { id, method, params }),
        (Some(_), None) => Err(invalid(None, "`id` must be a string or an integer of at most 127 bits")),
    }
}

fn too_deep(limit: usize) -> ErrorObject {
    ErrorObject::invalid_request(format!("the message is nested deeper than the limit of {limit}"))
}

/// What is wrong with a text that is no JSON.
fn explained(text: &str) -> ErrorObject {
    match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) => not_json(&error),
        Ok(_) => ErrorObject::parse_error("not JSON"),
    }
}

fn not_json(error: &serde_json::Error) -> ErrorObject {
    // A message is one line, so that "at line 1" says nothing.
    ErrorObject::parse_error(format!("not JSON: {}", error.to_string().replace("at line 1 column", "at column")))
}

/// The members of a message, all raw, so that a wrong type is a fault of that member and not of the whole text. Of two
/// of one name the last one counts.
#[derive(Debug, Default)]
struct Envelope<'a> {
    jsonrpc: Option<RawJson<'a>>,
    id: Option<RawJson<'a>>,
    method: Option<RawJson<'a>>,
    params: Option<Params<'a>>,
    result: Option<RawJson<'a>>,
    error: Option<RawJson<'a>>,
}

impl<'a> Envelope<'a> {
    /// `Ok(None)`: it is JSON, but no object.
    fn read(text: &'a str, max_depth: usize) -> Result<Option<Self>, Fault> {
        let mut scanner = Scanner::new(text, max_depth);
        if scanner.peek() != Some(b'{') {
            scanner.value()?;
            return scanner.end().map(|()| None);
        }
        let mut members = Self::default();
        scanner.members(|scanner, name| {
            match &*name {
                "jsonrpc" => members.jsonrpc = Some(scanner.value()?),
                "id" => members.id = Some(scanner.value()?),
                "method" => members.method = Some(scanner.value()?),
                "params" => members.params = Some(Params::scan(scanner)?),
                "result" => members.result = Some(scanner.value()?),
                "error" => members.error = Some(scanner.value()?),
                _ => scanner.skip()?,
            }
            Ok(())
        })?;
        scanner.end()?;
        Ok(Some(members))
    }

    fn response(&self, id: Option<RequestId>) -> Option<Incoming<'a>> {
        let given = |json: Option<RawJson<'a>>| json.filter(|json| !json.is_null());
        // Older libraries write both, the one that there is not as `null`.
        let outcome = match (self.result, given(self.error)) {
            (Some(result), None) => Ok(result),
            (result, Some(error)) if given(result).is_none() => Err(read_object(error).ok()?),
            _ => return None,
        };
        Some(Incoming::Response { id, outcome })
    }
}

/// The params of a message: their members, each still raw JSON, read by the method that knows them.
///
/// They go from hand to hand until the method has them: so all that goes is where they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params<'a>(Box<Parts<'a>>);

#[derive(Clone, Debug, Default)]
struct Parts<'a> {
    /// As they came.
    raw: Option<RawJson<'a>>,
    members: Members<'a>,
    meta: Meta<'a>,
    /// Where these members are in the params, such as `ref.`; nothing for the params themselves.
    place: String,
}

/// Names and values, in their order. Most params have few, which need no memory of their own.
#[derive(Clone, Debug, Default)]
struct Members<'a> {
    first: [Option<Member<'a>>; 4],
    rest: Vec<Member<'a>>,
}

type Member<'a> = (Cow<'a, str>, RawJson<'a>);

impl<'a> Members<'a> {
    fn push(&mut self, member: Member<'a>) {
        match self.first.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(member),
            None => self.rest.push(member),
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Member<'a>> {
        self.first.iter().flatten().chain(&self.rest)
    }
}

impl<'a> Params<'a> {
    /// Of params that stand alone.
    pub(crate) fn of(json: Option<RawJson<'a>>) -> Self {
        let read = |json: RawJson<'a>| Self::scan(&mut Scanner::new(json.get(), usize::MAX)).ok();
        json.and_then(read).unwrap_or_default()
    }

    fn scan(scanner: &mut Scanner<'a>) -> Result<Self, Fault> {
        if scanner.peek() != Some(b'{') {
            return Ok(Self(Box::new(Parts { raw: Some(scanner.value()?), ..Parts::default() })));
        }
        let mut params = Self::default();
        let Parts { members, meta, .. } = &mut *params.0;
        let raw = scanner.members(|scanner, name| {
            let mut value = None;
            if name == "_meta" && meta.raw.is_none() {
                *meta = Meta::scan(scanner)?;
                value = meta.raw;
            }
            let value = match value {
                Some(value) => value,
                None => scanner.value()?,
            };
            members.push((name, value));
            Ok(())
        })?;
        params.0.raw = Some(raw);
        Ok(params)
    }

    /// As they came.
    pub(crate) fn raw(&self) -> Option<RawJson<'a>> {
        self.0.raw
    }

    /// What the message says about itself, if that is an object.
    pub(crate) fn meta(&self) -> &Meta<'a> {
        &self.0.meta
    }

    /// # Errors
    ///
    /// When they or their `_meta` are there and no objects.
    pub(crate) fn check(&self) -> Result<(), ErrorObject> {
        let is_object = |json: Option<RawJson<'a>>| json.is_none_or(|json| json.is_null() || json.is_object());
        if !is_object(self.0.raw) {
            return Err(ErrorObject::invalid_params("`params` must be an object"));
        }
        if !is_object(self.get("_meta")) {
            return Err(ErrorObject::invalid_params("`params._meta` must be an object"));
        }
        Ok(())
    }

    /// The member of that name. A `null` is the same as none.
    pub(crate) fn get(&self, name: &str) -> Option<RawJson<'a>> {
        self.0.members.iter().find(|(key, _)| key == name).map(|(_, json)| *json).filter(|json| !json.is_null())
    }

    /// Whether the member is there and `null`.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.0.members.iter().any(|(key, json)| key == name && json.is_null())
    }

    /// A member that must be there and a string.
    pub(crate) fn string(&self, name: &str) -> Result<Cow<'a, str>, ErrorObject> {
        match self.optional_string(name) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(self.fault(name, "is missing: a string")),
            Err(error) => Err(error),
        }
    }

    /// A member that may be left out.
    pub(crate) fn optional_string(&self, name: &str) -> Result<Option<Cow<'a, str>>, ErrorObject> {
        let Some(json) = self.get(name) else { return Ok(None) };
        match json.string() {
            Some(text) => Ok(Some(text)),
            None => Err(self.fault(name, "must be a string")),
        }
    }

    /// A member that may be left out and is an object otherwise: its raw JSON.
    pub(crate) fn optional_object(&self, name: &str) -> Result<Option<RawJson<'a>>, ErrorObject> {
        match self.get(name) {
            Some(json) if !json.is_object() => Err(self.fault(name, "must be an object")),
            json => Ok(json),
        }
    }

    /// A member that may be left out and is an object otherwise: its own members.
    pub(crate) fn nested(&self, name: &str) -> Result<Option<Self>, ErrorObject> {
        let Some(json) = self.optional_object(name)? else { return Ok(None) };
        let mut nested = Self::of(Some(json));
        nested.0.place = format!("{}{name}.", self.0.place);
        Ok(Some(nested))
    }

    /// A member that must be there and an object: its own members.
    pub(crate) fn object(&self, name: &str) -> Result<Self, ErrorObject> {
        self.nested(name)?.ok_or_else(|| self.fault(name, "is missing: an object"))
    }

    /// All members, each of which must be a string.
    pub(crate) fn strings(&self) -> Result<HashMap<String, String>, ErrorObject> {
        let read = |(name, json): &(Cow<'a, str>, RawJson<'a>)| match json.string() {
            Some(text) => Ok((name.clone().into_owned(), text.into_owned())),
            None => Err(self.fault(name, "must be a string")),
        };
        self.0.members.iter().map(read).collect()
    }

    fn fault(&self, name: &str, fault: &str) -> ErrorObject {
        ErrorObject::invalid_params(format!("`params.{}{name}` {fault}", self.0.place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn error(text: &str) -> (Option<String>, i64, String) {
        let malformed = read_message(text, 64).expect_err(text);
        let error = malformed.error.expect("it may be said");
        (malformed.id.map(|id| id.to_string()), error.code.0, error.message)
    }

    #[test]
    fn an_id_keeps_its_type_and_its_value() {
        for json in ["1", "\"1\"", "0", "-5", "\"\"", "9007199254740993", "18446744073709551615"] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(RequestId::read(raw.into()).unwrap().to_string(), json);
        }
        for json in ["1.5", "null", "true", "[1]", "{}", "1e300"] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(RequestId::read(raw.into()), None, "{json}");
        }
    }

    #[test]
    fn escapes_in_an_id_do_not_make_it_another() {
        let read = |json: &str| RequestId::read(serde_json::from_str::<&RawValue>(json).unwrap().into()).unwrap();
        assert_eq!(read(r#""a\u00e9\n""#), read("\"aé\\n\""));
    }

    #[test]
    fn what_is_no_message_is_told_apart_from_what_is_no_json() {
        assert_eq!(error("{").1, -32700);
        assert_eq!(error("garbage").1, -32700);
        assert_eq!(error(r#"{"a":1} {"b":2}"#).1, -32700);
        assert_eq!(error("5"), (None, -32600, "a message is a JSON object".into()));
        assert_eq!(error(r#"{"a":1}"#), (None, -32600, "`jsonrpc` must be \"2.0\"".into()));
        assert_eq!(error(r#"{"jsonrpc":"2.0","id":1}"#), (Some("1".into()), -32600, "`method` is missing".into()));
        assert_eq!(error(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#).0, None);
        assert_eq!(error(r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#).1, -32600);
        assert_eq!(error(r#"{"jsonrpc":"1.0","id":"a","method":"x"}"#).0, Some("\"a\"".into()));
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_not_complained_about() {
        for text in [r#"{"result":1,"error":{}}"#, r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#] {
            assert!(read_message(text, 64).unwrap_err().error.is_none());
        }
    }
}
