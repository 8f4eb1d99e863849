//! How faults speak of values and schemas: "expected an array of strings, got the number 7".

use std::cell::Cell;

use serde_json::{Map, Value};

use super::validate::Definitions;
use crate::nearest::nearest;

/// What came: `the string "x"`, `null`, `an array`.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {}", clipped(&number.to_string())),
        Value::String(text) => format!("the string {}", quoted(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// What came, where it is plain that it is a number: `300`.
pub(super) fn bare(value: &Value) -> String {
    match value {
        Value::Number(number) => clipped(&number.to_string()),
        value => describe(value),
    }
}

/// `text` as a JSON string, not too long to read.
pub(super) fn quoted(text: &str) -> String {
    Value::from(clipped(text)).to_string()
}

/// At most 60 characters of `text`.
pub(super) fn clipped(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a schema asks for: `an array of strings`, `one of "a", "b"`.
pub(crate) fn expected(schema: &Value, definitions: &Definitions) -> String {
    of_schema(schema, definitions, 0, &Cell::new(MOST_LOOKED_AT)).unwrap_or_else(|| "a value".to_owned())
}

/// What one of several forms asks for; objects are told apart by their members.
pub(super) fn form(schema: &Value, definitions: &Definitions) -> String {
    let resolved = definitions.resolved(schema);
    let required = names(resolved.get("required"));
    if resolved.get("type").is_none_or(|name| name == "object") && !required.is_empty() {
        return format!("an object with {}", listed(required));
    }
    expected(schema, definitions)
}

/// `unknown argument; did you mean …`: what to say of a name that is none of `known`.
pub(crate) fn unknown<'a>(noun: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut text = match nearest(name, known.clone()) {
        Some(meant) => format!("unknown {noun}; did you mean `{meant}`?"),
        None => format!("unknown {noun};"),
    };
    let known: Vec<&str> = known.collect();
    text += &match known.as_slice() {
        [] => format!(" no {noun}s are allowed here"),
        [only] => format!(" the only {noun} is `{only}`"),
        known => format!(" the {noun}s are {}", listed(known.iter().copied())),
    };
    text
}

/// ``"a", "b"``, for the text after "one of".
pub(super) fn choices(values: &[Value]) -> String {
    const MOST: usize = 24;
    let mut texts: Vec<String> = values
        .iter()
        .take(MOST)
        .map(|value| match value {
            Value::String(text) => quoted(text),
            value => clipped(&value.to_string()),
        })
        .collect();
    if values.len() > MOST {
        texts.push(format!("… ({} in all)", values.len()));
    }
    match texts.as_slice() {
        [only] => only.clone(),
        texts => format!("one of {}", texts.join(", ")),
    }
}

pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 40;
    let mut names = names.into_iter();
    let mut texts: Vec<String> = names.by_ref().take(MOST).map(|name| format!("`{}`", clipped(name))).collect();
    if names.next().is_some() {
        texts.push("…".to_owned());
    }
    texts.join(", ")
}

/// What to say of a value that is none of the `allowed` ones.
pub(super) fn not_a_choice(allowed: &[Value], value: &Value) -> String {
    let mut message = format!("expected {}, got {}", choices(allowed), describe(value));
    if let Value::String(text) = value
        && allowed.len() > 1
        && let Some(meant) = nearest(text, allowed.iter().filter_map(Value::as_str))
    {
        message += &format!("; did you mean {}?", quoted(meant));
    }
    message
}

/// The strings of a list such as `required`.
pub(super) fn names(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A text about more schemas than this is one that nobody reads.
const MOST_LOOKED_AT: usize = 200;

fn of_schema(schema: &Value, definitions: &Definitions, depth: usize, left: &Cell<usize>) -> Option<String> {
    const DEEPEST: usize = 4;
    left.set(left.get().checked_sub(1)?);
    let object = definitions.resolved(schema).as_object().filter(|_| depth < DEEPEST)?;
    if let Some(Value::Array(values)) = object.get("enum") {
        return Some(choices(values));
    }
    if let Some(value) = object.get("const") {
        return Some(choices(std::slice::from_ref(value)));
    }
    match object.get("type") {
        Some(Value::String(name)) => return of_type(name, object, definitions),
        Some(Value::Array(types)) => {
            let texts = types.iter().filter_map(|name| of_type(name.as_str()?, object, definitions));
            return Some(alternatives(texts));
        }
        _ => {}
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(forms)) = object.get(key) {
            let texts: Option<Vec<String>> =
                forms.iter().map(|form| of_schema(form, definitions, depth + 1, left)).collect();
            return Some(alternatives(texts?.into_iter()));
        }
    }
    let parts = object.get("allOf").and_then(Value::as_array)?;
    parts.iter().find_map(|part| of_schema(part, definitions, depth + 1, left))
}

fn of_type(name: &str, object: &Map<String, Value>, definitions: &Definitions) -> Option<String> {
    let noun = match name {
        "null" => "null",
        "boolean" => "true or false",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "object" => "an object",
        "array" => {
            let items = object.get("items").map(|items| definitions.resolved(items));
            match items.and_then(|items| items.get("type")).and_then(Value::as_str) {
                Some("boolean") => "an array of booleans",
                Some("integer") => "an array of integers",
                Some("number") => "an array of numbers",
                Some("string") => "an array of strings",
                Some("array") => "an array of arrays",
                Some("object") => "an array of objects",
                _ => "an array",
            }
        }
        _ => return None,
    };
    Some(noun.to_owned())
}

fn alternatives(texts: impl Iterator<Item = String>) -> String {
    let mut different: Vec<String> = Vec::new();
    for text in texts {
        if !different.contains(&text) {
            different.push(text);
        }
    }
    different.join(" or ")
}
