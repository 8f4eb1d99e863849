//! The quick way to see that a JSON text keeps a schema: without a tree of it, and without a word about what is wrong.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::clean::{find, is_annotation};

/// A schema that is simple enough to be checked on the text. What it admits, the schema allows; what it doesn't admit may
/// still be allowed (`3.0` for an integer), which [`validate`](super::validate) decides.
#[derive(Debug)]
pub(super) enum Shape {
    Anything,
    Null,
    Boolean,
    Number,
    Integer { least: i64, most: i64 },
    String,
    OneOf(Box<[Box<str>]>),
    Array { item: Box<Shape>, least: usize, most: usize },
    Object { members: Box<[Member]>, others: Option<Box<Shape>> },
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
        if let Some(Value::Array(forms)) = find(object, "anyOf") {
            let forms: Vec<Shape> = forms.iter().map(Self::of).collect::<Option<_>>()?;
            // Which of two arrays, or of two objects, is meant can't be seen from its start.
            let is_container = |shape: &&Shape| matches!(shape, Self::Array { .. } | Self::Object { .. });
            let is_plain = |shape: &Shape| !matches!(shape, Self::AnyOf(_) | Self::Anything);
            let is_quick =
                only(&["anyOf"]) && forms.iter().all(is_plain) && forms.iter().filter(is_container).count() <= 1;
            return is_quick.then_some(Self::AnyOf(forms.into()));
        }
        if find(object, "enum").is_some() {
            return if only(&["type", "enum"]) { Self::of_choices(object) } else { None };
        }
        match find(object, "type").map(Value::as_str) {
            None => only(&[]).then_some(Self::Anything),
            Some(Some("null")) => only(&["type"]).then_some(Self::Null),
            Some(Some("boolean")) => only(&["type"]).then_some(Self::Boolean),
            Some(Some("number")) => only(&["type"]).then_some(Self::Number),
            Some(Some("string")) => only(&["type"]).then_some(Self::String),
            Some(Some("integer")) if only(&["type", "minimum", "maximum"]) => {
                let bound = |key: &str, none: i64| find(object, key).map_or(Some(none), Value::as_i64);
                Some(Self::Integer { least: bound("minimum", i64::MIN)?, most: bound("maximum", i64::MAX)? })
            }
            Some(Some("array")) if only(&["type", "items", "minItems", "maxItems"]) => {
                let bound = |key: &str, none: usize| match find(object, key) {
                    Some(bound) => bound.as_u64().and_then(|bound| usize::try_from(bound).ok()),
                    None => Some(none),
                };
                Some(Self::Array {
                    item: Box::new(find(object, "items").map_or(Some(Self::Anything), Self::of)?),
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
        if find(object, "type").is_some_and(|name| name != "string") {
            return None;
        }
        let values = find(object, "enum")?.as_array()?;
        let texts: Option<Vec<Box<str>>> = values.iter().map(|value| value.as_str().map(Box::from)).collect();
        Some(Self::OneOf(texts?.into()))
    }

    fn of_members(object: &Map<String, Value>) -> Option<Self> {
        let none = Map::new();
        let properties = find(object, "properties").map_or(Some(&none), Value::as_object)?;
        let required =
            find(object, "required").map_or(Some([].as_slice()), |names| names.as_array().map(Vec::as_slice))?;
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
        let others = match find(object, "additionalProperties") {
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
            Self::OneOf(allowed) => {
                // A text with escapes is equal to none of them here, and is looked at again.
                let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                inner.is_some_and(|inner| allowed.iter().any(|allowed| **allowed == *inner && !inner.contains('\\')))
            }
            Self::AnyOf(shapes) => shapes.iter().any(|shape| shape.admits(text)),
            Self::Array { .. } | Self::Object { .. } => {
                self.deserialize(&mut serde_json::Deserializer::from_str(text)).is_ok()
            }
        }
    }

    /// The form that is meant for one kind of value.
    fn form(&self, is_meant: impl Fn(&Shape) -> bool) -> Option<&Shape> {
        match self {
            Self::AnyOf(shapes) => shapes.iter().find(|shape| is_meant(shape)),
            shape => Some(shape).filter(|shape| is_meant(shape)),
        }
    }
}

fn refused<E: de::Error>() -> E {
    E::custom("not for the quick way")
}

/// Inside arrays and objects the values are looked at as the parser finds them. An error is a "no".
impl<'de> DeserializeSeed<'de> for &Shape {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self {
            Shape::Anything => deserializer.deserialize_ignored_any(IgnoredAny).map(|_| ()),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for &Shape {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of this shape")
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.form(|shape| matches!(shape, Shape::Null)).map(|_| ()).ok_or_else(refused)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        self.form(|shape| matches!(shape, Shape::Boolean)).map(|_| ()).ok_or_else(refused)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<(), E> {
        let fits = |shape: &Shape| match shape {
            Shape::Number => true,
            Shape::Integer { least, most } => (*least..=*most).contains(&number),
            _ => false,
        };
        self.form(fits).map(|_| ()).ok_or_else(refused)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<(), E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => self.visit_f64(number as f64),
        }
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        self.form(|shape| matches!(shape, Shape::Number)).map(|_| ()).ok_or_else(refused)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        let fits = |shape: &Shape| match shape {
            Shape::String => true,
            Shape::OneOf(allowed) => allowed.iter().any(|allowed| **allowed == *text),
            _ => false,
        };
        self.form(fits).map(|_| ()).ok_or_else(refused)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Some(Shape::Array { item, least, most }) = self.form(|shape| matches!(shape, Shape::Array { .. })) else {
            return Err(refused());
        };
        let mut count = 0;
        while items.next_element_seed(&**item)?.is_some() {
            count += 1;
        }
        if (*least..=*most).contains(&count) { Ok(()) } else { Err(refused()) }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Some(Shape::Object { members, others }) = self.form(|shape| matches!(shape, Shape::Object { .. })) else {
            return Err(refused());
        };
        let mut seen = 0_u64;
        while let Some(index) = entries.next_key_seed(NameOf(members))? {
            let shape = match (index, others) {
                // Which of two counts is for the decoder to say, not here.
                (Some(index), _) if seen & (1 << index) != 0 => return Err(refused()),
                (Some(index), _) => {
                    seen |= 1 << index;
                    &members[index].shape
                }
                (None, Some(others)) => others,
                (None, None) => return Err(refused()),
            };
            entries.next_value_seed(shape)?;
        }
        let complete = members.iter().enumerate().all(|(index, member)| !member.required || seen & (1 << index) != 0);
        if complete { Ok(()) } else { Err(refused()) }
    }
}

/// Reads the name of a member: which one it is, if it is one of these.
struct NameOf<'a>(&'a [Member]);

impl<'de> DeserializeSeed<'de> for NameOf<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NameOf<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|member| *member.name == *name))
    }
}
