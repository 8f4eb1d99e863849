//! The flat schema that a form has: what `elicitation/create` may ask a person for, and how the answer is read.
//!
//! "Form mode elicitation schemas are limited to flat objects with primitive properties only": text, numbers, yes or no,
//! and choices. What a struct has beyond that shows when the form is made.
//!
//! Specification: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).

use regex_lite::Regex;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::{
    clean::{self, clean, remove_null},
    generate::Generator,
    validate::{Definitions, Fault, validate},
    words,
};
use crate::protocol::ProtocolVersion;

/// The form that asks for a `T`: a struct whose fields are the fields of the form.
///
/// # Errors
///
/// If a field is of a type that a form can't ask for.
pub(crate) fn form<T: JsonSchema>() -> Result<Form, String> {
    Form::of(Generator::for_input().raw::<T>())
}

/// The form of a schema that was written by hand, which clients see as it stands.
///
/// # Errors
///
/// If a field is of a type that a form can't ask for.
pub(crate) fn given(schema: Value) -> Result<Form, String> {
    if !schema.is_object() {
        return Err(format!("the schema of a form is an object, got {}", words::describe(&schema)));
    }
    Ok(Form { given: Some(schema.clone()), ..Form::of(schema)? })
}

/// A form, made from an author's type or schema.
#[derive(Debug)]
pub(crate) struct Form {
    /// The schema, where it was written by hand.
    given: Option<Value>,
    fields: Vec<Field>,
    required: Vec<String>,
    /// The whole schema of the type. It knows more than a form can say, such as patterns, and decides on the answer.
    rules: Value,
    definitions: Definitions,
}

#[derive(Debug)]
struct Field {
    name: String,
    title: Option<Value>,
    description: Option<Value>,
    default: Option<Value>,
    kind: Kind,
}

/// What a field asks for. The limits stand as they are written in the schema.
#[derive(Debug)]
enum Kind {
    Text(Map<String, Value>),
    Number(Map<String, Value>),
    YesNo,
    OneOf(Vec<Choice>),
    SomeOf(Vec<Choice>, Map<String, Value>),
}

#[derive(Debug)]
struct Choice {
    name: String,
    /// What the person reads in the place of the name.
    title: Option<String>,
}

impl Form {
    fn of(mut raw: Value) -> Result<Self, String> {
        let only_fields = ["allOf", "anyOf", "oneOf", "$ref", "patternProperties"];
        let is_struct = raw.get("type").is_some_and(|name| name == "object")
            && !raw.get("additionalProperties").is_some_and(|rest| rest != &Value::Bool(false))
            && !only_fields.iter().any(|key| raw.get(*key).is_some());
        if !is_struct {
            return Err(format!("a form is a struct with named fields, got {}", what(&raw)));
        }
        // A field without an answer is left out of it, so there is no `null`.
        if let Some(Value::Object(properties)) = raw.get_mut("properties") {
            properties.values_mut().for_each(remove_null);
        }
        let mut rules = raw.clone();
        clean(&mut rules, clean::Form::Input);
        let required = words::names(raw.get("required")).into_iter().map(str::to_owned).collect();
        let definitions = Definitions::new(Map::new(), [&rules]);

        let mut fields = Vec::new();
        for (name, raw) in raw.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let cleaned = &rules["properties"][name];
            let kind = Kind::of(raw, cleaned).ok_or_else(|| {
                format!("the field `{name}` is {}: a form has only text, numbers, yes/no, and choices", what(cleaned))
            })?;
            let text = |key: &str| raw.get(key).filter(|text| text.is_string()).cloned();
            let default = raw.get("default").cloned();
            if let Some(default) = &default {
                let mut faults = Vec::new();
                validate(cleaned, &definitions, &mut default.clone(), "", &mut faults);
                if let Some(fault) = faults.first() {
                    return Err(format!("the default of the field `{name}` is not one of its values: {fault}"));
                }
            }
            fields.push(Field {
                title: text("title"),
                description: text("description"),
                default,
                kind,
                name: name.clone(),
            });
        }
        Ok(Self { given: None, fields, required, rules, definitions })
    }

    /// `requestedSchema`, as clients of `version` read it.
    ///
    /// # Errors
    ///
    /// If the form has a field that `version` has no words for.
    pub(crate) fn schema(&self, version: ProtocolVersion) -> Result<Value, String> {
        if version < ProtocolVersion::V2025_06_18 {
            return Err(format!("version {version} of the protocol has no forms; they came with 2025-06-18"));
        }
        if let Some(given) = self.given.as_ref().filter(|_| version > ProtocolVersion::V2025_06_18) {
            return Ok(given.clone());
        }
        let mut properties = Map::new();
        for field in &self.fields {
            properties.insert(field.name.clone(), field.schema(version)?);
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), properties.into());
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), self.required.clone().into());
        }
        Ok(schema.into())
    }

    /// Reads an answer: the value to read a `T` from, with the defaults of what was left out, or all that is wrong.
    pub(crate) fn check(&self, content: &Map<String, Value>) -> Result<Value, Vec<Fault>> {
        let mut answer = content.clone();
        // Clients send `null` for a field that was left empty. Whoever filled it in can't be asked to leave it out.
        let is_optional =
            |name: &String| !self.required.contains(name) && self.fields.iter().any(|field| field.name == *name);
        answer.retain(|name, value| !(value.is_null() && is_optional(name)));
        for field in &self.fields {
            if let Some(default) = &field.default {
                answer.entry(&field.name).or_insert_with(|| default.clone());
            }
        }
        let mut answer = Value::Object(answer);
        let mut faults = Vec::new();
        validate(&self.rules, &self.definitions, &mut answer, "", &mut faults);
        for field in &self.fields {
            // To a schema a format is a remark. A person who mistyped an address is better told at once.
            if let Kind::Text(limits) = &field.kind
                && let Some(format) = limits.get("format").and_then(Value::as_str)
                && let Some(text) = answer.get(&field.name).and_then(Value::as_str)
                && let Some(expected) = not_in_format(format, text)
            {
                let got = words::describe(&text.into());
                faults.push(Fault { path: field.name.clone(), message: format!("expected {expected}, got {got}") });
            }
        }
        if faults.is_empty() { Ok(answer) } else { Err(faults) }
    }

    /// The name of a field that seems to ask for a secret. "Servers MUST NOT use form mode elicitation to request
    /// sensitive information": a form goes through the client and may be seen by the model.
    pub(crate) fn secret_field(&self) -> Option<&str> {
        let is_secret = |field: &&Field| {
            let is_text = match field.kind {
                Kind::Text(_) => true,
                Kind::Number(_) => false,
                // What can be chosen from a list is known to everybody.
                Kind::YesNo | Kind::OneOf(_) | Kind::SomeOf(..) => return false,
            };
            let title = field.title.as_ref().and_then(Value::as_str);
            [Some(field.name.as_str()), title].into_iter().flatten().any(|name| names_secret(name, is_text))
        };
        self.fields.iter().find(is_secret).map(|field| field.name.as_str())
    }
}

impl Field {
    fn schema(&self, version: ProtocolVersion) -> Result<Value, String> {
        let is_first = version == ProtocolVersion::V2025_06_18;
        let mut schema = Map::new();
        schema.insert("type".to_owned(), self.kind.type_name());
        for (key, text) in [("title", &self.title), ("description", &self.description)] {
            if let Some(text) = text {
                schema.insert(key.to_owned(), text.clone());
            }
        }
        match &self.kind {
            Kind::Text(limits) | Kind::Number(limits) => schema.extend(limits.clone()),
            Kind::YesNo => {}
            Kind::OneOf(choices) => {
                match (is_titled(choices), is_first) {
                    (true, false) => schema.insert("oneOf".to_owned(), titled(choices)),
                    (true, true) => {
                        schema.insert("enum".to_owned(), names(choices));
                        schema.insert("enumNames".to_owned(), choices.iter().map(Choice::title).collect())
                    }
                    (false, _) => schema.insert("enum".to_owned(), names(choices)),
                };
            }
            Kind::SomeOf(choices, limits) => {
                if is_first {
                    return Err(format!(
                        "the field `{}` is a choice of several, which version {version} of the protocol doesn't have",
                        self.name
                    ));
                }
                let items = match is_titled(choices) {
                    true => json!({ "anyOf": titled(choices) }),
                    false => json!({ "type": "string", "enum": names(choices) }),
                };
                schema.insert("items".to_owned(), items);
                schema.extend(limits.clone());
            }
        }
        let default = self.default.as_ref().filter(|_| !is_first || matches!(self.kind, Kind::YesNo));
        if let Some(default) = default {
            schema.insert("default".to_owned(), default.clone());
        }
        Ok(schema.into())
    }
}

impl Kind {
    /// `cleaned` has one plain type and its bounds in numbers; `raw` still has the titles.
    fn of(raw: &Value, cleaned: &Value) -> Option<Self> {
        if let Some(choices) = choices(raw) {
            return Some(Self::OneOf(choices));
        }
        if ["anyOf", "oneOf", "allOf", "$ref", "enum"].iter().any(|key| cleaned.get(*key).is_some()) {
            return None;
        }
        let kept = |keys: &[&str]| -> Map<String, Value> {
            keys.iter().filter_map(|key| Some(((*key).to_owned(), cleaned.get(*key)?.clone()))).collect()
        };
        match cleaned.get("type")?.as_str()? {
            "string" => {
                let mut limits = kept(&["minLength", "maxLength", "format"]);
                let is_known = |format: &Value| matches!(format.as_str(), Some("email" | "uri" | "date" | "date-time"));
                if !limits.get("format").is_some_and(is_known) {
                    clean::take(&mut limits, "format");
                }
                Some(Self::Text(limits))
            }
            "integer" | "number" => {
                let mut limits = kept(&["type"]);
                for (key, exclusive, step) in [("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1)]
                {
                    if let Some(bound) = cleaned.get(key) {
                        limits.insert(key.to_owned(), bound.clone());
                    } else if let Some(bound) = cleaned.get(exclusive) {
                        // There are no exclusive bounds in a form. That the bound itself doesn't belong is found on the
                        // answer, where it can't be said in another way.
                        let whole = bound.as_i64().filter(|_| limits["type"] == "integer");
                        let next = whole.and_then(|bound| bound.checked_add(step));
                        limits.insert(key.to_owned(), next.map_or_else(|| bound.clone(), Value::from));
                    }
                }
                Some(Self::Number(limits))
            }
            "boolean" => Some(Self::YesNo),
            "array" if cleaned.get("prefixItems").is_none() => {
                Some(Self::SomeOf(choices(raw.get("items")?)?, kept(&["minItems", "maxItems"])))
            }
            _ => None,
        }
    }

    fn type_name(&self) -> Value {
        match self {
            Self::Text(_) | Self::OneOf(_) => "string".into(),
            Self::Number(limits) => limits["type"].clone(),
            Self::YesNo => "boolean".into(),
            Self::SomeOf(..) => "array".into(),
        }
    }
}

impl Choice {
    fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

/// With one title among them all have one: those without show their name.
fn is_titled(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| choice.title.is_some())
}

fn names(choices: &[Choice]) -> Value {
    choices.iter().map(|choice| choice.name.as_str()).collect()
}

fn titled(choices: &[Choice]) -> Value {
    choices.iter().map(|choice| json!({ "const": choice.name, "title": choice.title() })).collect()
}

/// The texts that may be chosen, if `schema` is nothing but a choice. A variant's title, or else its doc comment, is what
/// the person reads.
fn choices(schema: &Value) -> Option<Vec<Choice>> {
    let named = |value: &Value| Some(Choice { name: value.as_str()?.to_owned(), title: None });
    if let Some(constant) = schema.get("const") {
        return Some(vec![named(constant)?]);
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let mut choices: Vec<Choice> = values.iter().map(named).collect::<Option<_>>()?;
        // How 2025-06-18 has titles, and whoever writes for it.
        let titles = schema.get("enumNames").and_then(Value::as_array).into_iter().flatten();
        for (choice, title) in choices.iter_mut().zip(titles) {
            choice.title = title.as_str().map(str::to_owned);
        }
        return Some(choices);
    }
    let Some(Value::Array(forms)) = schema.get("oneOf").or_else(|| schema.get("anyOf")) else { return None };
    let mut all = Vec::new();
    for form in forms {
        let mut choices = choices(form)?;
        if let [choice] = choices.as_mut_slice()
            && choice.title.is_none()
        {
            let text = ["title", "description"].iter().find_map(|key| form.get(*key)?.as_str());
            let text = text.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
            choice.title = text.filter(|text| !text.is_empty());
        }
        all.append(&mut choices);
    }
    Some(all)
}

/// What the author wrote in the place of something that a form has.
fn what(schema: &Value) -> &'static str {
    if let Some(Value::Array(forms)) = schema.get("oneOf").or_else(|| schema.get("anyOf")) {
        let has_data = |form: &Value| form.get("type").is_some_and(|name| name == "object");
        return match forms.iter().all(|form| has_data(form) || choices(form).is_some()) {
            true => "a choice that carries data",
            false => "one of several kinds of value",
        };
    }
    if schema.get("$ref").is_some() {
        return "of a type that contains itself";
    }
    match schema.get("type") {
        Some(Value::String(name)) => match name.as_str() {
            "object" if schema.get("properties").is_none() && schema.get("additionalProperties").is_some() => "a map",
            "object" => "an object",
            "array" if schema.get("prefixItems").is_some() => "a tuple",
            "array" => match schema.get("items").and_then(|items| items.get("type")).and_then(Value::as_str) {
                Some("string") => "a list of texts",
                Some("integer" | "number") => "a list of numbers",
                Some("boolean") => "a list of yes/no",
                Some("object") => "a list of objects",
                Some("array") => "a list of lists",
                _ => "a list",
            },
            "string" => "a text",
            "integer" | "number" => "a number",
            "boolean" => "yes or no",
            _ => "nothing but `null`",
        },
        Some(_) => "one of several kinds of value",
        None if schema.get("enum").is_some() || schema.get("const").is_some() => "a choice of other values than texts",
        None => "of any kind",
    }
}

/// What `format` asks for, if `text` is plainly something else. The last word has the type that reads it.
fn not_in_format(format: &str, text: &str) -> Option<&'static str> {
    const DATE: &str = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])";
    const TIME: &str = r"([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)";
    let (pattern, expected) = match format {
        "email" => (r"[^\s@]+@[^\s@]+".to_owned(), "an e-mail address such as name@example.com"),
        "uri" => (r"[A-Za-z][A-Za-z0-9+.-]*:\S+".to_owned(), "a URI such as https://example.com"),
        "date" => (DATE.to_owned(), "a date such as 2026-07-28"),
        "date-time" => (format!("{DATE}[Tt]{TIME}"), "a date and time such as 2026-07-28T09:30:00Z"),
        _ => return None,
    };
    let is_right = Regex::new(&format!("^({pattern})$")).is_ok_and(|regex| regex.is_match(text));
    (!is_right).then_some(expected)
}

/// Whether somebody who asks for `name` wants a secret. The last words say what is asked for, so that `token_limit` and
/// `secretary` are none; only a text can hold a password, though a number can be a PIN.
fn names_secret(name: &str, is_text: bool) -> bool {
    let words = words_of(name);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    while let Some("again" | "confirm" | "confirmation" | "repeat" | "repeated" | "value" | "text") =
        words.last().copied()
    {
        words.pop();
    }
    let before = |other: &[&str], rest: &[&str]| rest.last().is_some_and(|word| other.contains(word));
    let payment = match words.as_slice() {
        [.., "cvv" | "cvv2" | "cvc" | "cvc2" | "cardnumber" | "creditcard" | "otp" | "totp"] => true,
        [.., "security" | "cvv" | "cvc" | "otp", "code"] | [.., "credit" | "debit", "card"] => true,
        [rest @ .., "card", "number" | "no" | "num"] => !before(&["library", "id", "member", "membership"], rest),
        [rest @ .., "pin"] | [rest @ .., "pin", "code" | "number"] => {
            !before(&["map", "gpio", "led", "data", "clock", "input", "output", "reset", "push"], rest)
        }
        _ => false,
    };
    let text = match words.as_slice() {
        [
            ..,
            "password" | "passwords" | "passwd" | "pwd" | "passphrase" | "passcode" | "apikey" | "secret" | "secrets",
        ] => true,
        [.., "credential" | "credentials"] => true,
        [.., "pass", "word" | "phrase" | "code"] => true,
        [.., "api" | "secret" | "private" | "access" | "ssh" | "signing" | "encryption" | "auth", "key"] => true,
        // The token of a page or of a language model is nobody's secret.
        [rest @ .., "token"] => {
            !before(&["per", "max", "min", "next", "page", "stop", "end", "start", "first", "last", "pagination"], rest)
        }
        _ => false,
    };
    payment || (is_text && text)
}

/// The words of a name in any of the usual spellings, in small letters: `apiKey`, `API_KEY` and `api-key` are the same.
fn words_of(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words = Vec::new();
    let mut word = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        let after_small = at > 0 && (letters[at - 1].is_lowercase() || letters[at - 1].is_ascii_digit());
        let before_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let starts = letter.is_uppercase() && (after_small || before_small);
        if (starts || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[cfg(test)]
#[expect(dead_code, reason = "of most types only the schema matters")]
mod tests {
    use std::collections::{BTreeSet, HashMap, HashSet};

    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Green,
    }

    /// How it is sent
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Shipping {
        /// Within
        /// a week
        #[default]
        Slow,
        #[schemars(title = "Tomorrow")]
        Fast,
        Pickup,
    }

    fn ten() -> u32 {
        10
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Order {
        /// Where the bill goes.
        #[schemars(title = "E-mail", extend("format" = "email"))]
        email: String,
        #[schemars(length(min = 2, max = 40))]
        name: String,
        #[schemars(regex(pattern = r"^\d{5}$"))]
        zip: Option<String>,
        #[schemars(extend("format" = "uuid"))]
        id: Option<String>,
        #[schemars(range(min = 1, max = 100))]
        #[serde(default = "ten")]
        count: u32,
        #[schemars(range(max = 1.5), extend("exclusiveMinimum" = 0.0))]
        weight: Option<f64>,
        #[schemars(extend("exclusiveMinimum" = 4, "exclusiveMaximum" = 7))]
        floor: Option<i64>,
        #[serde(default)]
        gift: bool,
        colour: Colour,
        #[serde(default)]
        shipping: Shipping,
        maybe: Option<Shipping>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Several {
        #[schemars(length(min = 1, max = 2))]
        colours: Vec<Colour>,
        #[serde(default)]
        ways: BTreeSet<Shipping>,
        hashed: Option<HashSet<Colour>>,
    }

    /// What `form` says of a struct whose only field is a `T`.
    #[track_caller]
    fn check_refused<T: JsonSchema>(error: &str) {
        #[derive(JsonSchema)]
        struct One<T> {
            field: T,
        }
        assert_eq!(form::<One<T>>().map(|_| ()), Err(error.to_owned()));
    }

    /// The faults of an answer, one a line.
    #[track_caller]
    fn check_faults<T: JsonSchema>(content: Value, faults: &str) {
        let found = form::<T>().unwrap().check(content.as_object().unwrap()).unwrap_err();
        assert_eq!(found.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n"), faults);
    }

    // rows: ELIC-5, ELIC-6, ELIC-7, ELIC-8
    #[test]
    fn a_struct_is_a_flat_form() {
        let form = form::<Order>().unwrap();
        let schema = json!({
            "type": "object",
            "properties": {
                "email": { "type": "string", "title": "E-mail", "description": "Where the bill goes.", "format": "email" },
                "name": { "type": "string", "minLength": 2, "maxLength": 40 },
                "zip": { "type": "string" },
                "id": { "type": "string" },
                "count": { "type": "integer", "minimum": 1, "maximum": 100, "default": 10 },
                "weight": { "type": "number", "minimum": 0.0, "maximum": 1.5 },
                "floor": { "type": "integer", "minimum": 5, "maximum": 6 },
                "gift": { "type": "boolean", "default": false },
                "colour": { "type": "string", "enum": ["red", "green"] },
                "shipping": {
                    "type": "string",
                    "description": "How it is sent",
                    "oneOf": [
                        { "const": "slow", "title": "Within a week" },
                        { "const": "fast", "title": "Tomorrow" },
                        { "const": "pickup", "title": "pickup" }
                    ],
                    "default": "slow"
                },
                "maybe": {
                    "type": "string",
                    "description": "How it is sent",
                    "oneOf": [
                        { "const": "slow", "title": "Within a week" },
                        { "const": "fast", "title": "Tomorrow" },
                        { "const": "pickup", "title": "pickup" }
                    ]
                }
            },
            "required": ["email", "name", "colour"]
        });
        assert_same_choices(form.schema(ProtocolVersion::V2026_07_28).unwrap(), schema.clone());
        assert_same_choices(form.schema(ProtocolVersion::V2025_11_25).unwrap(), schema);
    }

    // rows: ELIC-5, ELIC-7
    #[test]
    fn a_form_by_hand_stands_as_it_was_written_and_is_held_against_the_answer() {
        let schema = json!({
            "type": "object",
            "properties": {
                "one": { "type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"] },
                "some": {
                    "type": "string",
                    "oneOf": [{ "const": "x", "title": "X" }, { "const": "y", "title": "Y" }],
                    "default": "x",
                },
            },
            "required": ["one"],
        });
        let form = given(schema.clone()).unwrap();
        assert_eq!(form.schema(ProtocolVersion::V2026_07_28), Ok(schema.clone()));
        assert_eq!(form.schema(ProtocolVersion::V2025_11_25), Ok(schema));
        // This one has the same choices in the words of its own.
        let first = form.schema(ProtocolVersion::V2025_06_18).unwrap();
        assert_eq!(
            first["properties"]["one"],
            json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"] })
        );
        assert_eq!(
            first["properties"]["some"],
            json!({ "type": "string", "enum": ["x", "y"], "enumNames": ["X", "Y"] })
        );
        assert!(form.schema(ProtocolVersion::V2025_03_26).is_err());
        let answer = |value: Value| form.check(value.as_object().unwrap());
        assert_eq!(answer(json!({ "one": "a" })).unwrap(), json!({ "one": "a", "some": "x" }));
        assert_eq!(answer(json!({ "one": "c", "some": 7 })).unwrap_err().len(), 2);

        let refused = |schema: Value| given(schema).unwrap_err();
        assert_eq!(refused(json!(7)), "the schema of a form is an object, got the number 7");
        let nested = json!({ "type": "object", "properties": { "a": { "type": "object" } } });
        assert!(refused(nested).starts_with("the field `a` is an object: "));
    }

    #[test]
    fn fields_stand_in_the_order_in_which_they_were_declared() {
        #[derive(JsonSchema)]
        #[expect(dead_code)]
        struct Trip {
            /// Where it goes.
            #[schemars(title = "To", length(max = 40))]
            to: String,
            #[schemars(range(max = 9), extend("exclusiveMinimum" = 0))]
            seats: i64,
            #[schemars(title = "Colours")]
            all: Option<Vec<Colour>>,
            /// How it starts.
            by: Option<Colour>,
        }
        let form = form::<Trip>().unwrap();
        assert_eq!(
            form.schema(ProtocolVersion::LATEST).unwrap().to_string(),
            r#"{"type":"object","properties":{"to":{"type":"string","title":"To","description":"Where it goes.","maxLength":40},"seats":{"type":"integer","minimum":1,"maximum":9},"all":{"type":"array","title":"Colours","items":{"type":"string","enum":["red","green"]}},"by":{"type":"string","description":"How it starts.","enum":["red","green"]}},"required":["to","seats"]}"#
        );
        let order = super::form::<Order>().unwrap().schema(ProtocolVersion::V2025_06_18).unwrap();
        let names: Vec<&String> = order["properties"].as_object().unwrap().keys().collect();
        assert_eq!(
            names,
            ["email", "name", "zip", "id", "count", "weight", "floor", "gift", "colour", "shipping", "maybe"]
        );
    }

    /// Equal but for the order of choices: schemars writes the ones without a text first.
    #[track_caller]
    fn assert_same_choices(mut one: Value, mut other: Value) {
        for schema in [&mut one, &mut other] {
            for field in schema["properties"].as_object_mut().unwrap().values_mut() {
                if let Some(Value::Array(choices)) = field.get_mut("oneOf") {
                    choices.sort_by_key(|choice| choice["const"].to_string());
                }
            }
        }
        assert_eq!(one, other);
    }

    // rows: ELIC-5, ELIC-6, ELIC-7, ELIC-8
    #[test]
    fn the_first_version_with_forms_has_names_beside_its_choices_and_hardly_any_defaults() {
        let schema = form::<Order>().unwrap().schema(ProtocolVersion::V2025_06_18).unwrap();
        let properties = &schema["properties"];
        assert_eq!(schema["required"], json!(["email", "name", "colour"]));
        assert_eq!(
            properties["email"],
            json!({ "type": "string", "title": "E-mail", "description": "Where the bill goes.", "format": "email" })
        );
        assert_eq!(properties["count"], json!({ "type": "integer", "minimum": 1, "maximum": 100 }));
        assert_eq!(properties["gift"], json!({ "type": "boolean", "default": false }));
        assert_eq!(properties["colour"], json!({ "type": "string", "enum": ["red", "green"] }));
        let shipping = &properties["shipping"];
        let texts = |key: &str| -> Vec<&str> {
            shipping[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
        };
        let pairs: BTreeSet<(&str, &str)> = texts("enum").into_iter().zip(texts("enumNames")).collect();
        assert_eq!(pairs, BTreeSet::from([("slow", "Within a week"), ("fast", "Tomorrow"), ("pickup", "pickup")]));
        assert_eq!(shipping.as_object().unwrap().len(), 4, "{shipping}");
        assert_eq!(
            form::<Several>().unwrap().schema(ProtocolVersion::V2025_06_18),
            Err("the field `colours` is a choice of several, which version 2025-06-18 of the protocol doesn't have"
                .to_owned())
        );
        assert_eq!(
            form::<Order>().unwrap().schema(ProtocolVersion::V2025_03_26),
            Err("version 2025-03-26 of the protocol has no forms; they came with 2025-06-18".to_owned())
        );
    }

    // rows: ELIC-8
    #[test]
    fn a_list_or_a_set_of_choices_is_a_choice_of_several() {
        let form = form::<Several>().unwrap();
        let schema = form.schema(ProtocolVersion::LATEST).unwrap();
        assert_eq!(
            schema["properties"]["colours"],
            json!({ "type": "array", "items": { "type": "string", "enum": ["red", "green"] }, "minItems": 1, "maxItems": 2 })
        );
        assert_eq!(
            schema["properties"]["hashed"],
            json!({ "type": "array", "items": { "type": "string", "enum": ["red", "green"] } })
        );
        let ways = &schema["properties"]["ways"];
        assert_eq!((&ways["type"], &ways["default"]), (&json!("array"), &json!([])));
        assert_eq!(ways["items"].as_object().unwrap().len(), 1, "{ways}");
        assert!(ways["items"]["anyOf"].as_array().unwrap().contains(&json!({ "const": "fast", "title": "Tomorrow" })));
        assert_eq!(schema["required"], json!(["colours"]));

        let content = json!({ "colours": ["green"], "ways": ["fast"] });
        let answer = form.check(content.as_object().unwrap()).unwrap();
        let several: Several = serde_json::from_value(answer).unwrap();
        assert_eq!(
            several,
            Several { colours: vec![Colour::Green], ways: BTreeSet::from([Shipping::Fast]), hashed: None }
        );
        check_faults::<Several>(
            json!({ "colours": [], "ways": ["fast", "fast"], "hashed": ["blue"] }),
            "colours: expected at least 1 item, got 0\nways[1]: the same as item 0; all items have to differ\nhashed[0]: expected one of \"red\", \"green\", got the string \"blue\"",
        );
    }

    // rows: ELIC-5
    #[test]
    fn what_a_form_cannot_have_is_refused_by_name() {
        #[derive(JsonSchema)]
        struct Point {
            x: f64,
        }
        #[derive(JsonSchema)]
        enum Shape {
            Circle(f64),
            Nothing,
        }
        #[derive(JsonSchema)]
        struct Tree {
            kid: Option<Box<Tree>>,
        }
        let rest = ": a form has only text, numbers, yes/no, and choices";
        check_refused::<Point>(&format!("the field `field` is an object{rest}"));
        check_refused::<Option<Point>>(&format!("the field `field` is an object{rest}"));
        check_refused::<Vec<f64>>(&format!("the field `field` is a list of numbers{rest}"));
        check_refused::<Vec<String>>(&format!("the field `field` is a list of texts{rest}"));
        check_refused::<Vec<Point>>(&format!("the field `field` is a list of objects{rest}"));
        check_refused::<HashMap<String, String>>(&format!("the field `field` is a map{rest}"));
        check_refused::<(i32, String)>(&format!("the field `field` is a tuple{rest}"));
        check_refused::<Value>(&format!("the field `field` is of any kind{rest}"));
        check_refused::<Map<String, Value>>(&format!("the field `field` is a map{rest}"));
        check_refused::<Shape>(&format!("the field `field` is a choice that carries data{rest}"));
        check_refused::<()>(&format!("the field `field` is nothing but `null`{rest}"));
        assert_eq!(form::<Tree>().unwrap_err(), format!("the field `kid` is of a type that contains itself{rest}"));
        let root = |error: Result<Form, String>| error.map(|_| ()).unwrap_err();
        assert_eq!(root(form::<String>()), "a form is a struct with named fields, got a text");
        assert_eq!(root(form::<HashMap<String, i32>>()), "a form is a struct with named fields, got a map");
        assert_eq!(root(form::<Colour>()), "a form is a struct with named fields, got a text");
        assert_eq!(root(form::<Shape>()), "a form is a struct with named fields, got a choice that carries data");
    }

    #[test]
    fn a_default_that_its_own_field_refuses_shows_at_once() {
        #[derive(Deserialize, JsonSchema)]
        struct Off {
            #[schemars(range(max = 5))]
            #[serde(default = "ten")]
            count: u32,
        }
        assert_eq!(
            form::<Off>().unwrap_err(),
            "the default of the field `count` is not one of its values: expected at most 5, got 10"
        );
    }

    // rows: ELIC-9
    #[test]
    fn an_answer_is_read_with_the_defaults_of_what_was_left_out() {
        let form = form::<Order>().unwrap();
        let read = |content: Value| {
            let answer = form.check(content.as_object().unwrap()).unwrap();
            serde_json::from_value::<Order>(answer).unwrap()
        };
        let order = read(json!({
            "email": "a@b.example", "name": "Anna", "colour": "red", "weight": 0.25, "floor": 5.0, "maybe": null
        }));
        assert_eq!(
            order,
            Order {
                email: "a@b.example".to_owned(),
                name: "Anna".to_owned(),
                zip: None,
                id: None,
                count: 10,
                weight: Some(0.25),
                floor: Some(5),
                gift: false,
                colour: Colour::Red,
                shipping: Shipping::Slow,
                maybe: None,
            }
        );
        let content = json!({ "email": "a@b.example", "name": "Anna", "colour": "red" });
        let answer = form.check(content.as_object().unwrap()).unwrap();
        assert_eq!(
            answer,
            json!({ "email": "a@b.example", "name": "Anna", "colour": "red", "count": 10, "gift": false, "shipping": "slow" })
        );
    }

    // rows: ELIC-9, ELIC-11
    #[test]
    fn a_bad_answer_is_told_field_by_field() {
        check_faults::<Order>(
            json!({
                "colour": "gren", "count": 2.5, "email": 7, "floor": 7, "gift": "yes", "name": "A", "shipping": ["slow"],
                "weight": 0, "zip": "123"
            }),
            "email: expected a string, got the number 7\n\
             name: expected at least 2 characters, got 1 in the string \"A\"\n\
             zip: expected a string that matches the pattern `^\\d{5}$`, got the string \"123\"\n\
             count: expected an integer, got the number 2.5\n\
             weight: expected more than 0.0, got 0\n\
             floor: expected less than 7, got 7\n\
             gift: expected true or false, got the string \"yes\"\n\
             colour: expected one of \"red\", \"green\", got the string \"gren\"; did you mean \"green\"?\n\
             shipping: expected one of \"pickup\", \"slow\", \"fast\", got an array",
        );
        check_faults::<Order>(
            json!({ "name": null }),
            "email: missing, expected a string\ncolour: missing, expected one of \"red\", \"green\"\nname: expected a string, got null",
        );
    }

    // rows: ELIC-6, ELIC-11
    #[test]
    fn a_text_has_to_be_in_its_format() {
        for (format, good, bad) in [
            ("email", ["a@b.example", "ä+b@localhost"].as_slice(), ["a", "a@", "@b", "a b@c", "a@b@c", ""].as_slice()),
            (
                "uri",
                &["https://example.com/a?b#c", "urn:a:b", "mailto:a@b"],
                &["example.com", "/a", "https:", "http://a b"],
            ),
            (
                "date",
                &["2026-07-28", "2024-02-29"],
                &["2026-7-28", "28.07.2026", "2026-13-01", "2026-07-32", "2026-07-28T"],
            ),
            (
                "date-time",
                &["2026-07-28T09:30:00Z", "2026-07-28t23:59:60.123+02:00"],
                &["2026-07-28", "2026-07-28T09:30:00", "2026-07-28 09:30:00Z", "2026-07-28T24:00:00Z"],
            ),
            ("uuid", &["anything"], &[]),
        ] {
            for text in good {
                assert_eq!(not_in_format(format, text), None, "{format} {text}");
            }
            for text in bad {
                assert!(not_in_format(format, text).is_some(), "{format} {text}");
            }
        }
        check_faults::<Order>(
            json!({ "email": "anna", "name": "Anna", "colour": "red" }),
            "email: expected an e-mail address such as name@example.com, got the string \"anna\"",
        );
    }

    // rows: ELIC-12
    #[test]
    fn a_field_that_asks_for_a_secret_is_found() {
        for name in [
            "password",
            "userPassword",
            "new-password",
            "password_again",
            "DB_PASSWD",
            "pwd",
            "passphrase",
            "pass_phrase",
            "secret",
            "client_secret",
            "clientSecret",
            "token",
            "access_token",
            "accessToken",
            "GITHUB_TOKEN",
            "api_key",
            "apiKey",
            "APIKey",
            "apikey",
            "openai_api_key",
            "API key",
            "private_key",
            "secret_key",
            "pin",
            "PIN",
            "card_pin",
            "pinCode",
            "cvv",
            "cvc2",
            "card_number",
            "cardNumber",
            "creditCardNumber",
            "credit_card",
            "security_code",
            "otp",
            "credentials",
            "Your password",
            "token_value",
        ] {
            assert!(names_secret(name, true), "{name}");
        }
        for name in [
            "secretary",
            "tokens_used",
            "token_limit",
            "max_tokens",
            "max_token",
            "cost_per_token",
            "next_page_token",
            "tokenizer",
            "password_policy",
            "password_length",
            "passenger",
            "pass",
            "pin_colour",
            "map_pin",
            "gpio_pin",
            "spinner",
            "pinned",
            "opinion",
            "shipping",
            "key",
            "public_key",
            "primary_key",
            "keyboard",
            "api_key_name",
            "access_key_id",
            "library_card_number",
            "card",
            "business_card",
            "number",
            "secret_santa_name",
            "compass",
            "topic",
            "",
        ] {
            assert!(!names_secret(name, true), "{name}");
        }
        assert!(names_secret("pin", false) && names_secret("card_number", false));
        assert!(!names_secret("token", false));

        #[derive(JsonSchema)]
        struct Login {
            forgot_password: bool,
            secret: Option<Colour>,
            user: String,
            #[schemars(title = "Password")]
            word: Option<String>,
        }
        assert_eq!(form::<Login>().unwrap().secret_field(), Some("word"));
        assert_eq!(form::<Order>().unwrap().secret_field(), None);
    }
}
