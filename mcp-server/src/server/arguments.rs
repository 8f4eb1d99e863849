//! The arguments of one call: read in one pass, then taken one by one into the author's types.
//!
//! What is wrong is collected, so that the model that sent the arguments hears all of it at once.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::{Value, value::RawValue};

use crate::schema::{Fault, InputSchema, Property, describe, expected, is_plain, suggest_leaving_out, unknown, validate};

/// The arguments of one call: one slot a parameter, values still raw JSON.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    schema: &'a InputSchema,
    slots: Slots<'a>,
    faults: Vec<Fault>,
    /// Of names that the schema doesn't have: told after the faults of the parameters.
    unknown: Vec<Fault>,
}

/// Whether `T` has a value when its argument is left out: `Option<…>`, and types that behave like one.
pub(crate) fn is_optional<T: DeserializeOwned>() -> bool {
    missing::<T>().is_some()
}

impl<'a> Arguments<'a> {
    /// Reads the text of a JSON object; `None` stands for an empty one.
    pub(crate) fn read(raw: Option<&'a str>, schema: &'a InputSchema) -> Self {
        let slots = Slots::new(schema.properties().len());
        let mut arguments = Self { schema, slots, faults: Vec::new(), unknown: Vec::new() };
        if let Some(raw) = raw
            && let Err(error) = serde_json::Deserializer::from_str(raw).deserialize_map(&mut arguments)
        {
            let got = serde_json::from_str(raw).map_or_else(|_| unreadable(&error), |value| describe(&value));
            arguments.unknown.push(Fault {
                path: "arguments".to_owned(),
                message: format!("expected an object, got {got}"),
            });
        }
        arguments
    }

    /// Takes the argument at `index` of the schema. If it is wrong or missing this is recorded, and there is none.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, index: usize, default: Option<fn() -> T>) -> Option<T> {
        let schema = self.schema;
        let property = &schema.properties()[index];
        match *self.slots.at(index) {
            Slot::Empty => {
                let value = default.map(|default| default()).or_else(missing);
                if value.is_none() {
                    self.fault(property, format!("missing, expected {}", expected(&property.schema, schema.definitions())));
                }
                value
            }
            Slot::Twice => {
                self.fault(property, "given twice".to_owned());
                None
            }
            Slot::Given(text) => {
                if property.admits(text)
                    && let Ok(value) = serde_json::from_str(text)
                {
                    return Some(value);
                }
                let value = self.checked(property, text)?;
                let error = match T::deserialize(&value) {
                    Ok(value) => return Some(value),
                    Err(error) => error,
                };
                // A `Value` holds no integer of more than 64 bits; the text does.
                if let Ok(value) = serde_json::from_str(text) {
                    return Some(value);
                }
                self.fault(property, undecodable(&error.to_string(), &value, property));
                None
            }
        }
    }

    /// Whether anything is wrong. Ask after all arguments were taken: unknown names are known from the start.
    pub(crate) fn has_faults(&self) -> bool {
        !(self.faults.is_empty() && self.unknown.is_empty())
    }

    /// All that is wrong: in the order of the parameters, unknown names last.
    pub(crate) fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.faults.iter().chain(&self.unknown)
    }

    /// One line a fault, for the model.
    pub(crate) fn fault_text(&self) -> String {
        self.faults().map(Fault::to_string).collect::<Vec<_>>().join("\n")
    }

    /// Parses the text and holds it against the schema.
    fn checked(&mut self, property: &Property, text: &str) -> Option<Value> {
        let mut value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => {
                self.fault(property, format!("can't be read: {}", unreadable(&error)));
                return None;
            }
        };
        let before = self.faults.len();
        validate(&property.schema, self.schema.definitions(), &mut value, &path(&property.name), &mut self.faults);
        if value.is_null() && !property.required {
            suggest_leaving_out(&mut self.faults[before..]);
        }
        (self.faults.len() == before).then_some(value)
    }

    fn fault(&mut self, property: &Property, message: String) {
        self.faults.push(Fault { path: path(&property.name), message });
    }

    fn put(&mut self, key: &str, text: &'a str, next: usize) -> usize {
        let properties = self.schema.properties();
        let decoded;
        let name = match key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) {
            Some(name) if !name.contains('\\') => name,
            _ => {
                decoded = serde_json::from_str(key).unwrap_or_else(|_| key.to_owned());
                decoded.as_str()
            }
        };
        // Most clients send the arguments in the order of the schema.
        let is_it = |index: &usize| properties.get(*index).is_some_and(|property| *property.name == *name);
        match Some(next).filter(is_it).or_else(|| (0..properties.len()).find(is_it)) {
            Some(index) => {
                let slot = self.slots.at(index);
                *slot = match slot {
                    Slot::Empty => Slot::Given(text),
                    Slot::Given(_) | Slot::Twice => Slot::Twice,
                };
                index + 1
            }
            None => {
                const MOST: usize = 20;
                if self.unknown.len() < MOST {
                    let names = properties.iter().map(|property| &*property.name);
                    self.unknown.push(Fault { path: path(name), message: unknown("argument", name, names) });
                }
                next
            }
        }
    }
}

impl<'a> Visitor<'a> for &mut Arguments<'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut next = 0;
        // The names are raw too: one that is no valid text must not hide what follows it.
        while let Some((key, value)) = entries.next_entry::<&RawValue, &'a RawValue>()? {
            next = self.put(key.get(), value.get(), next);
        }
        Ok(())
    }
}

/// What came for one parameter.
#[derive(Debug, Clone, Copy)]
enum Slot<'a> {
    Empty,
    Given(&'a str),
    Twice,
}

/// The slots of a call; few tools have so many parameters that a `Vec` is needed.
#[derive(Debug)]
struct Slots<'a> {
    first: [Slot<'a>; FIRST],
    rest: Vec<Slot<'a>>,
}

const FIRST: usize = 8;

impl<'a> Slots<'a> {
    fn new(count: usize) -> Self {
        Self { first: [Slot::Empty; FIRST], rest: vec![Slot::Empty; count.saturating_sub(FIRST)] }
    }

    fn at(&mut self, index: usize) -> &mut Slot<'a> {
        match index.checked_sub(FIRST) {
            None => &mut self.first[index],
            Some(index) => &mut self.rest[index],
        }
    }
}

/// The name of an argument as it stands in a path.
fn path(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { describe(&name.into()).split_off("the string ".len()) }
}

/// Why serde_json can't take a text that is JSON.
fn unreadable(error: &serde_json::Error) -> String {
    let error = error.to_string();
    if error.contains("number out of range") {
        "a number in it is too large".to_owned()
    } else if error.contains("recursion limit") {
        "it is nested too deeply".to_owned()
    } else if error.contains("hex escape") || error.contains("surrogate") || error.contains("code point") {
        "a text in it has an escape that stands for no character".to_owned()
    } else {
        "it is no valid JSON".to_owned()
    }
}

/// What to say of a value that keeps the schema, and that the author's type still refuses: serde's text without the names
/// of Rust types.
fn undecodable(error: &str, value: &Value, property: &Property) -> String {
    let out_of_range = error.starts_with("invalid value: integer") || error.starts_with("invalid type: floating point");
    if let Some((got, wanted)) = error.split_once(", expected ")
        && out_of_range
        && let Some(number) = got.split('`').nth(1)
        && let Some((least, most)) = integer_range(wanted)
    {
        return if number.parse().is_ok_and(|number: f64| number.fract() != 0.0) {
            format!("expected an integer, got the number {number}")
        } else if number.starts_with('-') {
            format!("expected at least {least}, got {number}")
        } else {
            format!("expected at most {most}, got {number}")
        };
    }
    let error = plain_words(error);
    match (property.schema.get("format").and_then(Value::as_str), value) {
        (Some(format), Value::String(_)) => {
            format!("expected a string of the format `{format}`, got {} ({error})", describe(value))
        }
        (_, Value::Array(_) | Value::Object(_)) => error,
        (_, value) => format!("{error}, got {}", describe(value)),
    }
}

fn integer_range(name: &str) -> Option<(i128, u128)> {
    Some(match name {
        "i8" => (i8::MIN.into(), i8::MAX as u128),
        "i16" => (i16::MIN.into(), i16::MAX as u128),
        "i32" => (i32::MIN.into(), i32::MAX as u128),
        "i64" => (i64::MIN.into(), i64::MAX as u128),
        "isize" => (isize::MIN as i128, isize::MAX as u128),
        "i128" => (i128::MIN, i128::MAX as u128),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" => (0, u64::MAX.into()),
        "usize" => (0, usize::MAX as u128),
        "u128" => (0, u128::MAX),
        _ => return None,
    })
}

/// serde's text, with words of JSON where it names a Rust type.
fn plain_words(error: &str) -> String {
    if error.starts_with("data did not match any variant") {
        return "fits none of the allowed forms".to_owned();
    }
    let Some((before, wanted)) = error.split_once("expected ") else { return error.to_owned() };
    let mut words = wanted.split(' ').peekable();
    let mut plain: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        let next = words.peek().copied();
        match word.trim_end_matches(',') {
            // `struct Point`, `tuple struct Pair`, `struct variant Shape::Circle`, `internally tagged enum Shape`
            "internally" | "adjacently" | "tagged" | "untagged" | "newtype" | "unit" if next.is_some() => {}
            "tuple" if matches!(next, Some("struct" | "variant")) => {
                words.nth(1);
                plain.push("an array");
            }
            "struct" | "enum" if next.is_some() => {
                if words.next() == Some("variant") {
                    words.next();
                }
                plain.push(if word == "enum" { "one of its variants" } else { "an object" });
            }
            name if integer_range(name).is_some() => plain.push("integer"),
            "f32" | "f64" => plain.push("number"),
            "bool" => plain.push("true or false"),
            "sequence" => plain.push("array"),
            "map" => plain.push("object"),
            _ => plain.push(word),
        }
    }
    format!("{before}expected {}", plain.join(" "))
}

/// What `T` is when nothing was sent, by the rule that serde's derive has for a missing field.
fn missing<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(Missing).ok()
}

struct Missing;

impl<'de> Deserializer<'de> for Missing {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
