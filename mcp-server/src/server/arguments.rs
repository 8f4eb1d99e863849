//! The arguments of one call: read in one pass, then taken one by one into the author's types.
//!
//! What is wrong is collected, so that the model that sent the arguments hears all of it at once.

use std::cell::Cell;
use std::ops::Range;

use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer as _, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use crate::protocol::{RawJson, Scanner};
use crate::schema::{
    Fault, GivenSchema, InputSchema, Property, describe, expected, is_plain, suggest_leaving_out, unknown, validate,
};

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
        let Some(raw) = raw else { return arguments };
        let mut next = 0;
        let read = Scanner::new(raw, usize::MAX).members(|scanner, name| {
            next = arguments.put(&name, scanner.value()?, next);
            Ok(())
        });
        if read.is_err() {
            let got = serde_json::from_str(raw).map_or_else(|error| unreadable(&error), |value| describe(&value));
            let fault = Fault { path: "arguments".to_owned(), message: format!("expected an object, got {got}") };
            arguments.unknown.push(fault);
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
                    self.missing(property);
                }
                value
            }
            Slot::Twice => {
                self.fault(property, "given twice".to_owned());
                None
            }
            Slot::Given(json) => {
                let text = json.get();
                if property.admits(text) {
                    // Most arguments are texts.
                    if let Some(value) = json.read_text() {
                        return Some(value);
                    }
                    if let Ok(value) = json.read() {
                        return Some(value);
                    }
                }
                let value = self.checked(property, text)?;
                // A `Value` holds no integer of more than 64 bits; the text does.
                if let Ok(value) = serde_json::from_str(text) {
                    return Some(value);
                }
                let error = match T::deserialize(&value) {
                    Ok(value) => return Some(value),
                    Err(error) => error,
                };
                self.fault(property, undecodable(&error, &value, property));
                None
            }
        }
    }

    /// Takes one value whose fields are the arguments at these indices. What is wrong with one of them is recorded at its
    /// own name.
    pub(crate) fn take_fields<T: DeserializeOwned>(&mut self, indices: Range<usize>) -> Option<T> {
        let given = self.given(indices)?;
        let at = Cell::new(None);
        let read = |as_checked| T::deserialize(Fields { given: &given, as_checked, next: 0, at: &at });
        // A `Value` holds no integer of more than 64 bits; the text does.
        match read(false).or_else(|_| read(true)) {
            Ok(value) => Some(value),
            Err(error) => {
                self.not_taken(&error, at.get().map(|index| &given[index]));
                None
            }
        }
    }

    /// The arguments that came for these indices, each held against its schema.
    fn given(&mut self, indices: Range<usize>) -> Option<Vec<Given<'a>>> {
        let properties = self.schema.properties();
        let mut given = Vec::with_capacity(indices.len());
        let mut is_right = true;
        for index in indices {
            let property = &properties[index];
            let value = match *self.slots.at(index) {
                Slot::Empty if property.required => {
                    self.missing(property);
                    None
                }
                Slot::Empty => continue,
                Slot::Twice => {
                    self.fault(property, "given twice".to_owned());
                    None
                }
                Slot::Given(json) => {
                    let text = json.get();
                    match property.admits(text) {
                        true => Some(Given { property, text, value: None }),
                        false => self.checked(property, text).map(|value| Given { property, text, value: Some(value) }),
                    }
                }
            };
            is_right &= value.is_some();
            given.extend(value);
        }
        is_right.then_some(given)
    }

    /// Records what the author's type has against fields that keep their schemas: `at` is the one that it stopped at.
    fn not_taken(&mut self, error: &serde_json::Error, at: Option<&Given<'_>>) {
        let Some(Given { property, text, .. }) = at else {
            return self.faults.push(Fault { path: String::new(), message: plain_words(&error.to_string()) });
        };
        let value = serde_json::from_str(text).unwrap_or_default();
        let message = undecodable(error, &value, property);
        self.faults.push(Fault { path: path(&property.name), message });
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

    fn missing(&mut self, property: &Property) {
        let expected = expected(&property.schema, self.schema.definitions());
        self.fault(property, format!("missing, expected {expected}"));
    }

    fn fault(&mut self, property: &Property, message: String) {
        self.faults.push(Fault { path: path(&property.name), message });
    }

    /// `next`: the parameter that comes next in most calls. Gives the same for the argument behind this one.
    fn put(&mut self, name: &str, json: RawJson<'a>, next: usize) -> usize {
        let properties = self.schema.properties();
        // Most clients send the arguments in the order of the schema.
        let is_it = |index: &usize| properties.get(*index).is_some_and(|property| *property.name == *name);
        match Some(next).filter(is_it).or_else(|| (0..properties.len()).find(is_it)) {
            Some(index) => {
                let slot = self.slots.at(index);
                *slot = match slot {
                    Slot::Empty => Slot::Given(json),
                    Slot::Given(_) | Slot::Twice => Slot::Twice,
                };
                index + 1
            }
            None => {
                const MOST: usize = 20;
                match self.unknown.len() {
                    0..MOST => {
                        let names = properties.iter().map(|property| &*property.name);
                        self.unknown.push(Fault { path: path(name), message: unknown("argument", name, names) });
                    }
                    MOST => {
                        self.unknown
                            .push(Fault { path: String::new(), message: "… and more unknown arguments".to_owned() });
                    }
                    _ => {}
                }
                next
            }
        }
    }
}

/// One field of a value that was given.
struct Given<'a> {
    property: &'a Property,
    text: &'a str,
    /// The same, where the text alone did not show that it keeps its schema: an integral float is an integer there.
    value: Option<Value>,
}

/// The fields of one value as serde reads them.
struct Fields<'g, 'a> {
    given: &'g [Given<'a>],
    /// Whether to take what checking made of a value, and not its text.
    as_checked: bool,
    next: usize,
    /// The field whose value is being read.
    at: &'g Cell<Option<usize>>,
}

impl<'de> Deserializer<'de> for Fields<'_, 'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_map(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Fields<'_, 'de> {
    type Error = serde_json::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Self::Error> {
        self.at.set(None);
        let Some(Given { property, .. }) = self.given.get(self.next) else { return Ok(None) };
        seed.deserialize(property.name.as_ref().into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Self::Error> {
        let Given { text, value, .. } = &self.given[self.next];
        self.at.set(Some(self.next));
        self.next += 1;
        let read = match value {
            Some(value) if self.as_checked => seed.deserialize(value.clone())?,
            _ => seed.deserialize(&mut serde_json::Deserializer::from_str(text))?,
        };
        self.at.set(None);
        Ok(read)
    }
}

/// The arguments of one call as one value, for a tool whose schema is given as a whole.
#[derive(Debug)]
pub(crate) struct Whole<'a> {
    text: &'a str,
    value: Value,
    faults: Vec<Fault>,
}

impl<'a> Whole<'a> {
    /// Reads the text of a JSON object, `None` for an empty one, and holds it against the schema.
    pub(crate) fn read(raw: Option<&'a str>, schema: &GivenSchema) -> Self {
        let text = raw.unwrap_or("{}");
        match serde_json::from_str(text) {
            Ok(mut value) => {
                let faults = schema.check(&mut value, "");
                Self { text, value, faults }
            }
            Err(error) => {
                let message = format!("can't be read: {}", unreadable(&error));
                Self { text, value: Value::Null, faults: vec![Fault { path: "arguments".to_owned(), message }] }
            }
        }
    }

    /// The arguments in the author's type. If they are wrong this is recorded, and there are none.
    pub(crate) fn take<T: DeserializeOwned>(&mut self) -> Option<T> {
        if self.has_faults() {
            return None;
        }
        // A `Value` holds no integer of more than 64 bits; the text does.
        if let Ok(value) = serde_json::from_str(self.text) {
            return Some(value);
        }
        let error = match T::deserialize(&self.value) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        self.faults.push(Fault { path: String::new(), message: plain_words(&error.to_string()) });
        None
    }

    pub(crate) fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// One line a fault, for the model.
    pub(crate) fn fault_text(&self) -> String {
        self.faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// What came for one parameter.
#[derive(Debug, Clone, Copy)]
enum Slot<'a> {
    Empty,
    Given(RawJson<'a>),
    Twice,
}

/// The slots of a call; few tools have so many parameters that a `Vec` is needed.
#[derive(Debug)]
struct Slots<'a> {
    first: [Slot<'a>; FIRST],
    rest: Vec<Slot<'a>>,
}

const FIRST: usize = 4;

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
fn undecodable(error: &serde_json::Error, value: &Value, property: &Property) -> String {
    let mut error = error.to_string();
    // Of a number among the names of a map serde_json says where in that name it stood.
    if let Some(place) = error.rfind(" at line ") {
        error.truncate(place);
    }
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
    let error = plain_words(&error);
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
            "internally" | "adjacently" | "tagged" | "untagged" if next.is_some() => {}
            kind @ ("tuple" | "newtype" | "unit") if matches!(next, Some("struct" | "variant")) => {
                words.nth(1);
                plain.push(match kind {
                    "tuple" => "an array",
                    "newtype" => "a value",
                    _ => "null",
                });
            }
            "variant" if next.is_some_and(|name| name.contains("::")) => {
                words.next();
                plain.push("no content");
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
pub(crate) fn missing<T: DeserializeOwned>() -> Option<T> {
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

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeSet, HashMap},
        num::{NonZeroI8, NonZeroU8},
    };

    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;

    /// Takes one argument `p` of type `T` that is written as `text`: what it is, or what is wrong with it.
    fn one<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, String> {
        let mut schema = InputSchema::builder();
        schema.property::<T>("p", "", is_optional::<T>(), None).unwrap();
        let schema = schema.finish();
        let raw = format!(r#"{{"p":{text}}}"#);
        let mut arguments = Arguments::read(Some(&raw), &schema);
        let value = arguments.take(0, None);
        assert_eq!(value.is_none(), arguments.has_faults());
        value.ok_or_else(|| arguments.fault_text())
    }

    #[track_caller]
    fn refused<T: DeserializeOwned + JsonSchema>(text: &str, fault: &str) {
        assert_eq!(one::<T>(text).err().as_deref(), Some(fault), "{text}");
    }

    fn find() -> InputSchema {
        let mut schema = InputSchema::builder();
        schema.property::<String>("text", "", false, None).unwrap();
        schema.property::<Option<u32>>("page", "", true, None).unwrap();
        schema.property::<Vec<String>>("order_ids", "", false, None).unwrap();
        schema.property::<u8>("limit", "", true, Some("10")).unwrap();
        schema.finish()
    }

    type Found = (Option<String>, Option<Option<u32>>, Option<Vec<String>>, Option<u8>);

    fn take_all(raw: Option<&str>) -> (Found, String) {
        let schema = find();
        let mut arguments = Arguments::read(raw, &schema);
        let found =
            (arguments.take(0, None), arguments.take(1, None), arguments.take(2, None), arguments.take(3, Some(|| 10)));
        (found, arguments.fault_text())
    }

    #[test]
    fn arguments_come_in_any_order_and_optional_ones_may_be_missing() {
        let (found, faults) = take_all(Some(r#" { "order_ids" : [ "a" ] , "t\u0065xt" : "x" } "#));
        assert_eq!(faults, "");
        assert_eq!(found, (Some("x".to_owned()), Some(None), Some(vec!["a".to_owned()]), Some(10)));
        let (found, faults) = take_all(Some(r#"{"text":"","page":2e0,"order_ids":[],"limit":255}"#));
        assert_eq!(faults, "");
        assert_eq!(found, (Some(String::new()), Some(Some(2)), Some(vec![]), Some(255)));
    }

    #[test]
    fn all_faults_of_a_call_are_told_at_once_in_the_order_of_the_parameters() {
        let (found, faults) =
            take_all(Some(r#"{"pgae":2,"limit":300,"order_ids":["a",7],"page":null,"limits":1,"text":1,"page":3}"#));
        assert_eq!(found, (None, None, None, None));
        assert_eq!(
            faults,
            "text: expected a string, got the number 1\n\
             page: given twice\n\
             order_ids[1]: expected a string, got the number 7\n\
             limit: expected at most 255, got 300\n\
             pgae: unknown argument; did you mean `page`? the arguments are `text`, `page`, `order_ids`, `limit`\n\
             limits: unknown argument; did you mean `limit`? the arguments are `text`, `page`, `order_ids`, `limit`"
        );
    }

    #[test]
    fn what_is_missing_is_named_with_what_is_expected() {
        let missing = "text: missing, expected a string\norder_ids: missing, expected an array of strings";
        assert_eq!(take_all(None).1, missing);
        assert_eq!(take_all(Some("{}")).1, missing);
    }

    #[test]
    fn null_is_no_way_to_leave_something_out() {
        let (_, faults) = take_all(Some(r#"{"text":null,"page":null,"order_ids":[],"limit":null}"#));
        assert_eq!(
            faults,
            "text: expected a string, got null\n\
             page: expected an integer, got null; leave it out when there is none\n\
             limit: expected an integer, got null; leave it out when there is none"
        );
    }

    #[test]
    fn a_tool_without_parameters_names_what_it_does_not_know() {
        let schema = InputSchema::builder().finish();
        assert!(!Arguments::read(None, &schema).has_faults());
        assert!(!Arguments::read(Some(" {} "), &schema).has_faults());
        let arguments = Arguments::read(Some(r#"{"a b":1}"#), &schema);
        assert_eq!(arguments.fault_text(), "\"a b\": unknown argument; no arguments are allowed here");
    }

    #[test]
    fn what_is_no_object_is_a_fault_and_no_panic() {
        let schema = find();
        for (raw, got) in [
            ("[]", "an array"),
            ("\"{}\"", "the string \"{}\""),
            ("{", "it is no valid JSON"),
            ("", "it is no valid JSON"),
        ] {
            assert_eq!(
                Arguments::read(Some(raw), &schema).fault_text(),
                format!("arguments: expected an object, got {got}")
            );
        }
    }

    #[test]
    fn many_parameters_have_slots_too() {
        let names: Vec<String> = (0..20).map(|index| format!("p{index}")).collect();
        let mut schema = InputSchema::builder();
        names.iter().for_each(|name| schema.property::<usize>(name, "", false, None).map(drop).unwrap());
        let schema = schema.finish();
        let raw: Vec<String> =
            names.iter().enumerate().rev().map(|(index, name)| format!("\"{name}\":{index}")).collect();
        let raw = format!("{{{}}}", raw.join(","));
        let mut arguments = Arguments::read(Some(&raw), &schema);
        assert!((0..20).all(|index| arguments.take(index, None) == Some(index)));
        assert!(!arguments.has_faults());
    }

    #[test]
    fn text_that_no_value_can_hold_is_a_fault_of_its_own_argument() {
        refused::<f64>("1e400", "p: can't be read: a number in it is too large");
        refused::<String>(r#""\ud800""#, "p: can't be read: a text in it has an escape that stands for no character");
        let deep = "[".repeat(1000) + &"]".repeat(1000);
        refused::<Value>(&deep, "p: can't be read: it is nested too deeply");
        refused::<Vec<Vec<u8>>>(&deep, "p: can't be read: it is nested too deeply");
        let schema = find();
        let arguments = Arguments::read(Some(r#"{"\ud800":1,"text":1}"#), &schema);
        assert_eq!(arguments.faults().count(), 1);
        assert!(arguments.fault_text().contains("unknown argument"));
    }

    #[test]
    fn an_integer_may_be_written_as_a_float() {
        assert_eq!(one("3.0"), Ok(3_i64));
        assert_eq!(one("1e2"), Ok(100_u8));
        assert_eq!(one("-0"), Ok(0_u32));
        assert_eq!(one("1e19"), Ok(10_000_000_000_000_000_000_u64));
        assert_eq!(one("[1.0, 2]"), Ok(vec![1_usize, 2]));
        assert_eq!(one("3"), Ok(3.0_f32));
        assert_eq!(one("340282366920938463463374607431768211455"), Ok(u128::MAX));
        assert_eq!(one(r#"[[340282366920938463463374607431768211455, 1]]"#), Ok(vec![(u128::MAX, 1_u8)]));
        refused::<i64>("\"2\"", "p: expected an integer, got the string \"2\"");
        refused::<i64>("3.5", "p: expected an integer, got the number 3.5");
    }

    #[test]
    fn what_is_out_of_range_hears_the_bound() {
        refused::<u8>("300", "p: expected at most 255, got 300");
        refused::<i64>("9223372036854775808", "p: expected at most 9223372036854775807, got 9223372036854775808");
        refused::<i64>("-1e300", "p: expected at least -9223372036854775808, got -1e+300");
        refused::<u64>("-1", "p: expected at least 0, got -1");
        refused::<NonZeroU8>("0", "p: expected at least 1, got 0");
        refused::<NonZeroI8>("0", "p: 0 is not allowed");
    }

    #[test]
    fn the_looseness_of_serde_is_not_offered() {
        #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
        struct Point {
            x: i32,
            y: Option<i32>,
        }
        #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
        enum Mode {
            Append,
        }
        assert_eq!(one(r#"{"x":1,"z":null}"#), Ok(Point { x: 1, y: None }));
        assert_eq!(one(r#"{"x":1.0,"y":2}"#), Ok(Point { x: 1, y: Some(2) }));
        refused::<Point>("[1,2]", "p: expected an object, got an array");
        refused::<Vec<Point>>("[[1,2]]", "p[0]: expected an object, got an array");
        refused::<Point>(r#"{"x":1,"y":null}"#, "p.y: expected an integer, got null; leave it out when there is none");
        refused::<Point>(r#""{\"x\":1}""#, "p: expected an object, got the string \"{\\\"x\\\":1}\"");
        assert_eq!(one("\"Append\""), Ok(Mode::Append));
        refused::<Mode>(r#"{"Append":null}"#, "p: expected \"Append\", got an object");
        assert_eq!(one("[null,1]"), Ok(vec![None, Some(1)]));
        refused::<BTreeSet<u8>>("[1,1.0]", "p[1]: the same as item 0; all items have to differ");
    }

    #[test]
    fn a_type_that_takes_more_than_its_schema_says_is_held_to_it() {
        #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
        #[serde(transparent)]
        struct Loose(#[schemars(with = "i8")] Value);
        assert_eq!(one("1"), Ok(Loose(1.into())));
        refused::<Loose>("300", "p: expected at most 127, got 300");
        refused::<Loose>("\"a\"", "p: expected an integer, got the string \"a\"");
        refused::<HashMap<String, Loose>>(r#"{"a":{}}"#, "p.a: expected an integer, got an object");
    }

    #[test]
    fn what_only_the_type_knows_is_said_without_its_name() {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(try_from = "String")]
        struct Even(#[expect(dead_code)] String);
        impl TryFrom<String> for Even {
            type Error = &'static str;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                if text.len().is_multiple_of(2) { Ok(Self(text)) } else { Err("the length has to be even") }
            }
        }
        refused::<Even>("\"a\"", "p: the length has to be even, got the string \"a\"");
        refused::<std::net::Ipv4Addr>(
            "\"1.2\"",
            "p: expected a string of the format `ipv4`, got the string \"1.2\" (invalid IPv4 address syntax)",
        );
        for (error, plain) in [
            ("invalid type: map, expected struct Point", "invalid type: map, expected an object"),
            (
                "invalid type: null, expected struct Point with 2 elements",
                "invalid type: null, expected an object with 2 elements",
            ),
            ("invalid type: map, expected tuple struct Pair", "invalid type: map, expected an array"),
            (
                "invalid length 1, expected struct variant Shape::Circle with 2 elements",
                "invalid length 1, expected an object with 2 elements",
            ),
            (
                "invalid value: integer `0`, expected a nonzero i32",
                "invalid value: integer `0`, expected a nonzero integer",
            ),
            (
                "invalid type: map, expected internally tagged enum Shape",
                "invalid type: map, expected one of its variants",
            ),
            ("invalid type: map, expected unit variant Shape::None", "invalid type: map, expected null"),
            ("invalid type: map, expected variant Shape::None", "invalid type: map, expected no content"),
            ("data did not match any variant of untagged enum Id", "fits none of the allowed forms"),
            ("unknown variant `a`, expected `b` or `c`", "unknown variant `a`, expected `b` or `c`"),
        ] {
            assert_eq!(plain_words(error), plain);
        }
    }

    #[test]
    fn names_of_a_map_are_held_to_their_type() {
        assert_eq!(one(r#"{"-1":true}"#), Ok(HashMap::from([(-1_i8, true)])));
        refused::<HashMap<i8, bool>>(r#"{"128":true}"#, "p: expected at most 127, got 128");
    }

    #[test]
    fn what_may_be_missing_is_known_by_behaviour() {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Page(#[expect(dead_code)] Option<u32>);
        assert!(is_optional::<Option<String>>());
        assert!(is_optional::<Page>());
        assert!(!is_optional::<String>());
        assert!(!is_optional::<Value>());
        assert!(!is_optional::<Vec<Option<u8>>>());
        assert!(!is_optional::<()>());
    }
}
