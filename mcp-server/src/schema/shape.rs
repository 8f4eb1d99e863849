//! The quick way to see that a JSON text keeps a schema: without a tree of it, and without a word about what is wrong.

use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, value::RawValue};

use super::clean::is_annotation;

/// A schema that is simple enough to be checked on the text. What it admits, the schema allows; what it doesn't admit may
/// still be allowed (`3.0` for an integer), which [`validate`](super::validate) decides.
#[derive(Debug)]
pub(super) enum Shape {
    Anything,
    Null,
    Boolean,
    Number,
    Integer {
        least: i64,
        most: i64,
    },
    String,
    /// The allowed texts, with their quotes.
    OneOf(Box<[Box<str>]>),
    Array {
        item: Box<Shape>,
        least: usize,
        most: usize,
    },
    Object {
        members: Box<[Member]>,
        others: Option<Box<Shape>>,
    },
    AnyOf(Box<[Shape]>),
}

#[derive(Debug)]
pub(super) struct Member {
    name: Box<str>,
    shape: Shape,
    required: bool,
}

impl Shape {
    /// Reads a cleaned schema. Every keyword has to be known here, or there is no quick way.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let Value::Object(object) = schema else { return None };
        let only = |keys: &[&str]| object.keys().all(|key| is_annotation(key) || keys.contains(&key.as_str()));
        if let Some(Value::Array(forms)) = object.get("anyOf") {
            let forms: Option<Vec<Shape>> = forms.iter().map(Self::of).collect();
            return only(&["anyOf"]).then_some(Self::AnyOf(forms?.into()));
        }
        if object.contains_key("enum") {
            return if only(&["type", "enum"]) { Self::of_choices(object) } else { None };
        }
        match object.get("type").map(Value::as_str) {
            None => only(&[]).then_some(Self::Anything),
            Some(Some("null")) => only(&["type"]).then_some(Self::Null),
            Some(Some("boolean")) => only(&["type"]).then_some(Self::Boolean),
            Some(Some("number")) => only(&["type"]).then_some(Self::Number),
            Some(Some("string")) => only(&["type"]).then_some(Self::String),
            Some(Some("integer")) if only(&["type", "minimum", "maximum"]) => {
                let bound = |key: &str, none: i64| object.get(key).map_or(Some(none), Value::as_i64);
                Some(Self::Integer { least: bound("minimum", i64::MIN)?, most: bound("maximum", i64::MAX)? })
            }
            Some(Some("array")) if only(&["type", "items", "minItems", "maxItems"]) => {
                let bound = |key: &str, none: usize| match object.get(key) {
                    Some(bound) => bound.as_u64().and_then(|bound| usize::try_from(bound).ok()),
                    None => Some(none),
                };
                Some(Self::Array {
                    item: Box::new(object.get("items").map_or(Some(Self::Anything), Self::of)?),
                    least: bound("minItems", 0)?,
                    most: bound("maxItems", usize::MAX)?,
                })
            }
            Some(Some("object")) if only(&["type", "properties", "required", "additionalProperties"]) => {
                Self::of_members(object)
            }
            _ => None,
        }
    }

    fn of_choices(object: &Map<String, Value>) -> Option<Self> {
        if object.get("type").is_some_and(|name| name != "string") {
            return None;
        }
        let values = object.get("enum")?.as_array()?;
        let texts: Option<Vec<Box<str>>> =
            values.iter().map(|value| value.is_string().then(|| value.to_string().into())).collect();
        Some(Self::OneOf(texts?.into()))
    }

    fn of_members(object: &Map<String, Value>) -> Option<Self> {
        let none = Map::new();
        let properties = object.get("properties").map_or(Some(&none), Value::as_object)?;
        let required =
            object.get("required").map_or(Some([].as_slice()), |names| names.as_array().map(Vec::as_slice))?;
        if !required.iter().all(|name| name.as_str().is_some_and(|name| properties.contains_key(name))) {
            return None;
        }
        let members: Option<Vec<Member>> = properties
            .iter()
            .map(|(name, schema)| {
                let required = required.iter().any(|other| other == name);
                Some(Member { name: name.as_str().into(), shape: Self::of(schema)?, required })
            })
            .collect();
        let others = match object.get("additionalProperties") {
            None => Some(Box::new(Self::Anything)),
            Some(Value::Bool(false)) => None,
            Some(schema) => Some(Box::new(Self::of(schema)?)),
        };
        let members = members?;
        // One bit for each member tells which ones have come.
        (members.len() <= 64).then_some(Self::Object { members: members.into(), others })
    }

    /// `text` is one JSON value, without space around it.
    pub(super) fn admits(&self, text: &str) -> bool {
        match self {
            Self::Anything => true,
            Self::Null => text == "null",
            Self::Boolean => text == "true" || text == "false",
            Self::Number => text.starts_with(|first: char| first == '-' || first.is_ascii_digit()),
            // `-0` is a float to serde.
            Self::Integer { least, most } => {
                text != "-0" && text.parse().is_ok_and(|number: i64| (*least..=*most).contains(&number))
            }
            Self::String => text.starts_with('"'),
            Self::OneOf(texts) => texts.iter().any(|allowed| **allowed == *text),
            Self::AnyOf(shapes) => shapes.iter().any(|shape| shape.admits(text)),
            Self::Array { .. } => {
                text.starts_with('[')
                    && serde_json::Deserializer::from_str(text).deserialize_seq(self).is_ok_and(|fits| fits)
            }
            Self::Object { .. } => {
                text.starts_with('{')
                    && serde_json::Deserializer::from_str(text).deserialize_map(self).is_ok_and(|fits| fits)
            }
        }
    }
}

/// Looks at the items and members as they come. After the first that doesn't fit nothing is read, which serde_json takes
/// for an error: both ways out mean "no".
impl<'de> Visitor<'de> for &Shape {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        let Shape::Array { item, least, most } = self else { return Ok(false) };
        let mut count = 0;
        while let Some(text) = items.next_element::<&RawValue>()? {
            count += 1;
            if !item.admits(text.get()) {
                return Ok(false);
            }
        }
        Ok((*least..=*most).contains(&count))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<bool, A::Error> {
        let Shape::Object { members, others } = self else { return Ok(false) };
        let mut seen = 0_u64;
        while let Some((key, text)) = entries.next_entry::<&RawValue, &RawValue>()? {
            let key = key.get();
            // A name written with escapes may be any name.
            let Some(name) =
                key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).filter(|key| !key.contains('\\'))
            else {
                return Ok(false);
            };
            let fits = match members.iter().position(|member| *member.name == *name) {
                // Which of two counts is for the decoder to say: not here.
                Some(index) if seen & (1 << index) != 0 => false,
                Some(index) => {
                    seen |= 1 << index;
                    members[index].shape.admits(text.get())
                }
                None => others.as_ref().is_some_and(|others| others.admits(text.get())),
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(members.iter().enumerate().all(|(index, member)| !member.required || seen & (1 << index) != 0))
    }
}
