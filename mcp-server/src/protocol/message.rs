//! The envelope of every message: JSON-RPC 2.0, as the protocol narrows it.
//!
//! Specification: [Messages](https://modelcontextprotocol.io/specification/2026-07-28/basic#messages).

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::ErrorObject;

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
    pub(crate) fn read(json: &RawValue) -> Option<Self> {
        let json = json.get();
        if json.starts_with('"') {
            let text: Text<'_> = serde_json::from_str(json).ok()?;
            return Some(Self(Id::String(text.0.into())));
        }
        integral(json).map(|number| Self(Id::Integer(number)))
    }

    /// Appends the id as JSON.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Id::Integer(number) => write_integer(out, *number),
            Id::String(text) => serde_json::to_writer(out, text).expect("a Vec takes every byte"),
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
        Self::read(raw).ok_or_else(|| de::Error::custom("an id is a string or an integer"))
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
    let digits = json.strip_prefix('-').unwrap_or(json);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return json.parse().ok();
    }
    let number: f64 = serde_json::from_str(json).ok()?;
    // Beyond 2^53 a number with a fraction or an exponent no longer says which integer it means.
    (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0).then_some(number as i128)
}

/// A string that is borrowed from the line when it holds no escapes.
#[derive(Debug)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

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
    Request { id: RequestId, method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// It wants none.
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// It is an answer to a request of ours.
    Response { id: Option<RequestId>, outcome: Result<&'a RawValue, ErrorObject> },
}

/// Reads a type whose JSON is an object. By itself serde would take an array for one as well, its items for the members.
pub(crate) fn read_object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> serde_json::Result<T> {
    if !raw.get().starts_with('{') {
        return Err(de::Error::custom("expected an object"));
    }
    serde_json::from_str(raw.get())
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

/// The messages of a batch, each still raw.
pub(crate) fn read_batch(text: &str) -> Result<Vec<&RawValue>, Malformed> {
    serde_json::from_str(text).map_err(|error| Malformed::new(None, not_json(&error)))
}

/// Whether arrays and objects are nested deeper than `limit`. Malformed JSON may be judged either way.
pub(crate) fn depth_exceeds(text: &[u8], limit: usize) -> bool {
    // Most messages hold fewer brackets in all than may be nested: then there is nothing to look for.
    let opening = memchr::memchr2_iter(b'{', b'[', text).take(limit + 1).count();
    if opening <= limit {
        return false;
    }
    let (mut depth, mut in_string, mut at) = (0_usize, false, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => in_string = !in_string,
            // The escaped character is not looked at.
            b'\\' if in_string => at += 1,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    false
}

/// Reads the envelope of one message.
pub(crate) fn read_message(text: &str) -> Result<Incoming<'_>, Malformed> {
    let invalid = |id: Option<RequestId>, message: &str| Malformed::new(id, ErrorObject::invalid_request(message));
    let members = match serde_json::from_str::<Envelope<'_>>(text) {
        Ok(members) => members,
        // JSON, but no object: the reader of objects stopped at its first byte.
        Err(error) if error.is_data() => {
            return match serde_json::from_str::<IgnoredAny>(text) {
                Ok(_) => Err(invalid(None, "a message is a JSON object")),
                Err(error) => Err(Malformed::new(None, not_json(&error))),
            };
        }
        Err(error) => return Err(Malformed::new(None, not_json(&error))),
    };

    let id = members.id.and_then(RequestId::read);
    if members.method.is_none_or(|method| method.get() == "null")
        && (members.result.is_some() || members.error.is_some())
    {
        return members.response(id.clone()).ok_or(Malformed { id, error: None });
    }
    if members.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
        return Err(invalid(id, "`jsonrpc` must be \"2.0\""));
    }
    let Some(method) = members.method else { return Err(invalid(id, "`method` is missing")) };
    let Ok(method) = serde_json::from_str::<Text<'_>>(method.get()) else {
        return Err(invalid(id, "`method` must be a string"));
    };
    match (members.id, id) {
        (None, _) => Ok(Incoming::Notification { method: method.0, params: members.params }),
        (Some(_), Some(id)) => Ok(Incoming::Request { id, method: method.0, params: members.params }),
        (Some(_), None) => Err(invalid(None, "`id` must be a string or an integer of at most 127 bits")),
    }
}

fn not_json(error: &serde_json::Error) -> ErrorObject {
    // A message is one line, so that "at line 1" says nothing.
    ErrorObject::parse_error(format!("not JSON: {}", error.to_string().replace("at line 1 column", "at column")))
}

/// The members of a message, all raw, so that a wrong type is a fault of that member and not of the whole text.
#[derive(Debug, Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    fn response(&self, id: Option<RequestId>) -> Option<Incoming<'a>> {
        let given = |raw: Option<&'a RawValue>| raw.filter(|raw| raw.get() != "null");
        // Older libraries write both, the one that there is not as `null`.
        let outcome = match (self.result, given(self.error)) {
            (Some(result), None) => Ok(result),
            (result, Some(error)) if given(result).is_none() => Err(read_object(error).ok()?),
            _ => return None,
        };
        Some(Incoming::Response { id, outcome })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
                let mut members = Envelope::default();
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    match &*key.0 {
                        "jsonrpc" => members.jsonrpc = Some(map.next_value()?),
                        "id" => members.id = Some(map.next_value()?),
                        "method" => members.method = Some(map.next_value()?),
                        "params" => members.params = Some(map.next_value()?),
                        "result" => members.result = Some(map.next_value()?),
                        "error" => members.error = Some(map.next_value()?),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(members)
            }

            // Without this a derived reader would take an array for an object.
            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Envelope<'de>, A::Error> {
                Err(de::Error::invalid_type(de::Unexpected::Seq, &self))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// The params of a request: its members in one pass, each still raw JSON, read by the method that knows them.
#[derive(Debug, Default)]
pub(crate) struct Params<'a> {
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
    /// Where these members are in the params, such as `ref.`; nothing for the params themselves.
    place: String,
}

impl<'a> Params<'a> {
    /// # Errors
    ///
    /// When the params are there and no object.
    pub(crate) fn read(params: Option<&'a RawValue>) -> Result<Self, ErrorObject> {
        match params {
            None => Ok(Self::default()),
            Some(raw) if raw.get() == "null" => Ok(Self::default()),
            Some(raw) => {
                serde_json::from_str(raw.get()).map_err(|_| ErrorObject::invalid_params("`params` must be an object"))
            }
        }
    }

    /// The member of that name. A `null` is the same as none.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.members.iter().find(|(key, _)| key == name).map(|(_, raw)| *raw).filter(|raw| raw.get() != "null")
    }

    /// Whether the member is there and `null`.
    pub(crate) fn is_null(&self, name: &str) -> bool {
        self.members.iter().any(|(key, raw)| key == name && raw.get() == "null")
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
        let Some(raw) = self.get(name) else { return Ok(None) };
        match serde_json::from_str::<Text<'_>>(raw.get()) {
            Ok(text) => Ok(Some(text.0)),
            Err(_) => Err(self.fault(name, "must be a string")),
        }
    }

    /// A member that may be left out and is an object otherwise: its raw JSON.
    pub(crate) fn optional_object(&self, name: &str) -> Result<Option<&'a RawValue>, ErrorObject> {
        match self.get(name) {
            Some(raw) if !raw.get().starts_with('{') => Err(self.fault(name, "must be an object")),
            raw => Ok(raw),
        }
    }

    /// A member that may be left out and is an object otherwise: its own members.
    pub(crate) fn nested(&self, name: &str) -> Result<Option<Self>, ErrorObject> {
        let Some(raw) = self.optional_object(name)? else { return Ok(None) };
        let params: Params<'a> = serde_json::from_str(raw.get()).map_err(|_| self.fault(name, "must be an object"))?;
        Ok(Some(Self { place: format!("{}{name}.", self.place), ..params }))
    }

    /// A member that must be there and an object: its own members.
    pub(crate) fn object(&self, name: &str) -> Result<Self, ErrorObject> {
        self.nested(name)?.ok_or_else(|| self.fault(name, "is missing: an object"))
    }

    /// All members, each of which must be a string.
    pub(crate) fn strings(&self) -> Result<HashMap<String, String>, ErrorObject> {
        let read = |(name, raw): &(Cow<'a, str>, &'a RawValue)| match serde_json::from_str(raw.get()) {
            Ok(text) => Ok((name.clone().into_owned(), text)),
            Err(_) => Err(self.fault(name, "must be a string")),
        };
        self.members.iter().map(read).collect()
    }

    fn fault(&self, name: &str, fault: &str) -> ErrorObject {
        ErrorObject::invalid_params(format!("`params.{}{name}` {fault}", self.place))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Params<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Params<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params<'de>, A::Error> {
                let mut members = Vec::with_capacity(4);
                while let Some((key, value)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    members.push((key.0, value));
                }
                Ok(Params { members, place: String::new() })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn error(text: &str) -> (Option<String>, i64, String) {
        let malformed = read_message(text).expect_err(text);
        let error = malformed.error.expect("it may be said");
        (malformed.id.map(|id| id.to_string()), error.code.0, error.message)
    }

    #[test]
    fn an_id_keeps_its_type_and_its_value() {
        for json in ["1", "\"1\"", "0", "-5", "\"\"", "9007199254740993", "18446744073709551615"] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(RequestId::read(raw).unwrap().to_string(), json);
        }
        for json in ["1.5", "null", "true", "[1]", "{}", "1e300"] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(RequestId::read(raw), None, "{json}");
        }
    }

    #[test]
    fn escapes_in_an_id_do_not_make_it_another() {
        let read = |json: &str| RequestId::read(serde_json::from_str(json).unwrap()).unwrap();
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
            assert!(read_message(text).unwrap_err().error.is_none());
        }
    }

    #[test]
    fn depth_counts_brackets_outside_of_strings() {
        assert!(!depth_exceeds(br#"{"a":"[[[[[[[["}"#, 3));
        assert!(!depth_exceeds(br#"[[[]],[[]],[[]]]"#, 3));
        assert!(depth_exceeds(br#"[[[[]]]]"#, 3));
        assert!(depth_exceeds(br#"{"a":"\"[","b":[[[1]]]}"#, 3));
    }
}
