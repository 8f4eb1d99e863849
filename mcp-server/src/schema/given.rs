//! A schema that comes as JSON, for a tool that is known only when the program runs.
//!
//! It is read once, when the tool is registered, and what is wrong with it shows there: a schema that can't be enforced
//! to the letter is refused, never taken for one that allows everything.
//!
//! Two dialects are read: 2020-12, which a schema without `$schema` is in, and draft-07, in which most of the schemas
//! around are written. "Implementations MUST NOT automatically dereference `$ref` values that resolve to a network URI":
//! nothing is ever fetched, so every `$ref` has to lead to a place in the same document.
//!
//! Specification: [JSON Schema usage](https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage).

use std::collections::{BTreeMap, BTreeSet};

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::{
    clean::{Kind, each_subschema, kind_of},
    generate::decoded,
    validate::{Definitions, Fault, MOST_HOPS, validate},
    words::{describe, quoted},
};

/// A schema as its author wrote it, and ready to be held against values.
#[derive(Debug)]
pub(crate) struct GivenSchema {
    text: Box<str>,
    definitions: Definitions,
}

impl GivenSchema {
    /// A schema for any kind of value, such as a tool's result.
    ///
    /// # Errors
    ///
    /// If it is not a valid schema, or one that can't be enforced; the text has the JSON pointer of the place.
    pub(crate) fn new(schema: Value) -> Result<Self, String> {
        let text = schema.to_string().into();
        if !schema.is_object() {
            return Err(format!("a schema is an object, got {}", describe(&schema)));
        }
        if is_deeper(&schema, DEEPEST) {
            return Err(format!("the schema is nested more than {DEEPEST} levels deep"));
        }
        let dialect = Dialect::of(schema.get("$schema"), "/$schema")?;
        let mut document = schema;
        if dialect == Dialect::Draft7 {
            modernise(&mut document);
        }
        let mut reader = Reader::new(dialect, &document);
        reader.read(&document, "", "")?;
        let references = reader.references()?;
        let elsewhere = reader.elsewhere;
        for (place, target) in references {
            if let Some(schema) = document.pointer_mut(&place) {
                schema["$ref"] = format!("#{}", target.replace('%', "%25")).into();
            }
        }
        Ok(Self { text, definitions: Definitions::of_document(document, &elsewhere) })
    }

    /// A schema for the arguments of a tool, which are an object.
    ///
    /// # Errors
    ///
    /// As for [`GivenSchema::new`], and if the schema isn't one of an object.
    pub(crate) fn input(schema: Value) -> Result<Self, String> {
        let kind = schema.get("type").cloned();
        let given = Self::new(schema)?;
        match kind {
            Some(kind) if kind == "object" => Ok(given),
            Some(kind) => Err(format!("`/type`: arguments are an object, so this has to be \"object\", got {kind}")),
            None => Err("the root: arguments are an object, so it needs `\"type\": \"object\"`".to_owned()),
        }
    }

    /// The JSON text, with nothing added, changed or left out.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Everything that is wrong with `value`, which stands at `root_path`. Integral floats become integers where the
    /// schema asks for some.
    pub(crate) fn check(&self, value: &mut Value, root_path: &str) -> Vec<Fault> {
        let mut faults = Vec::new();
        validate(self.definitions.document(), &self.definitions, value, root_path, &mut faults);
        faults
    }
}

/// How deep a schema may be nested: as deep as JSON that was read from a text can be.
const DEEPEST: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Draft2020,
    Draft7,
}

impl Dialect {
    fn of(schema: Option<&Value>, pointer: &str) -> Result<Self, String> {
        let Some(schema) = schema else { return Ok(Self::Draft2020) };
        let name = schema.as_str().unwrap_or_default().trim_end_matches('#');
        match name.trim_start_matches("https://").trim_start_matches("http://") {
            "json-schema.org/draft/2020-12/schema" => Ok(Self::Draft2020),
            "json-schema.org/draft-07/schema" => Ok(Self::Draft7),
            _ => Err(format!(
                "{}: the dialect {schema} is not supported; write \
                 \"https://json-schema.org/draft/2020-12/schema\" or \"http://json-schema.org/draft-07/schema#\"",
                place(pointer)
            )),
        }
    }
}

/// Says what a schema of draft-07 says in the words of 2020-12.
fn modernise(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.contains_key("$ref") {
        // "All other properties in a `$ref` object MUST be ignored", though what they define can be referred to.
        object.retain(|key, _| matches!(key.as_str(), "$ref" | "$schema" | "$defs" | "definitions"));
    }
    let rest = object.remove("additionalItems");
    if object.get("items").is_some_and(Value::is_array)
        && let Some(first) = object.remove("items")
    {
        object.insert("prefixItems".to_owned(), first);
        if let Some(rest) = rest {
            object.insert("items".to_owned(), rest);
        }
    }
    if object.get("prefixItems") == Some(&Value::Array(Vec::new())) {
        object.remove("prefixItems");
    }
    if let Some(Value::Object(dependencies)) = object.remove("dependencies") {
        let (names, schemas): (Map<_, _>, Map<_, _>) =
            dependencies.into_iter().partition(|(_, needed)| needed.is_array());
        for (key, dependent) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
            object.insert(key.to_owned(), dependent.into());
        }
    }
    if let Some(name) = object.get("$id").and_then(Value::as_str).and_then(|id| id.strip_prefix('#')).map(str::to_owned)
    {
        object.remove("$id");
        if !name.is_empty() {
            object.insert("$anchor".to_owned(), name.into());
        }
    }
    each_subschema(object, &mut modernise);
}

/// Goes through a document, and finds out what its references mean.
#[derive(Debug)]
struct Reader<'a> {
    dialect: Dialect,
    document: &'a Value,
    /// The JSON pointers of all schemas that were read.
    schemas: BTreeSet<String>,
    /// The schemas among them that no keyword leads to.
    elsewhere: Vec<String>,
    /// `$id`s, resolved, and the pointers that they stand for.
    ids: BTreeMap<String, String>,
    /// `$anchor`s, with the `$id` that they belong to.
    anchors: BTreeMap<(String, String), String>,
    found: Vec<Reference>,
    /// From a schema to those that are held against the very same value.
    steps: BTreeMap<String, Vec<String>>,
}

#[derive(Debug)]
struct Reference {
    /// The schema that it stands in.
    schema: String,
    base: String,
    text: String,
}

impl<'a> Reader<'a> {
    fn new(dialect: Dialect, document: &'a Value) -> Self {
        Self {
            dialect,
            document,
            schemas: BTreeSet::new(),
            elsewhere: Vec::new(),
            ids: BTreeMap::new(),
            anchors: BTreeMap::new(),
            found: Vec::new(),
            steps: BTreeMap::new(),
        }
    }

    /// `pointer` says where `schema` stands, `base` is the URI that names in it are relative to.
    fn read(&mut self, schema: &Value, pointer: &str, base: &str) -> Result<(), String> {
        self.schemas.insert(pointer.to_owned());
        let object = match schema {
            Value::Object(object) => object,
            Value::Bool(_) => return Ok(()),
            other => {
                return Err(format!(
                    "{}: expected a schema, got {}{}",
                    place(pointer),
                    describe(other),
                    tuple_hint(pointer)
                ));
            }
        };
        let base = match object.get("$id").and_then(Value::as_str) {
            Some(id) => join(base, id.trim_end_matches('#')),
            None => base.to_owned(),
        };
        if (pointer.is_empty() || object.contains_key("$id"))
            && self.ids.insert(base.clone(), pointer.to_owned()).is_some()
        {
            return Err(format!("{}: two schemas have the `$id` {}", place(pointer), quoted(&base)));
        }
        for (key, value) in object {
            let here = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
            check_keyword(key, value).map_err(|wrong| format!("{}: {wrong}", place(&here)))?;
            match (key.as_str(), value) {
                ("$schema", _) if Dialect::of(Some(value), &here)? != self.dialect => {
                    return Err(format!("{}: one document has one dialect", place(&here)));
                }
                ("$ref", Value::String(text)) => {
                    self.found.push(Reference { schema: pointer.to_owned(), base: base.clone(), text: text.clone() });
                }
                ("$anchor" | "$dynamicAnchor", Value::String(name)) => {
                    let other = self.anchors.insert((base.clone(), name.clone()), pointer.to_owned());
                    if other.is_some_and(|other| other != pointer) {
                        return Err(format!("{}: two schemas have the anchor {}", place(&here), quoted(name)));
                    }
                }
                _ => {}
            }
            let inner: Vec<(String, &Value)> = match (kind_of(key), value) {
                (Some(Kind::Schema | Kind::ContentSchema), value) => vec![(here, value)],
                (Some(Kind::Schemas), Value::Array(schemas)) => {
                    schemas.iter().enumerate().map(|(index, schema)| (format!("{here}/{index}"), schema)).collect()
                }
                (Some(Kind::NamedSchemas), Value::Object(schemas)) => {
                    let named = |name: &str| format!("{here}/{}", name.replace('~', "~0").replace('/', "~1"));
                    schemas.iter().map(|(name, schema)| (named(name), schema)).collect()
                }
                _ => continue,
            };
            for (here, schema) in inner {
                self.read(schema, &here, &base)?;
                let is_step = matches!(
                    key.as_str(),
                    "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas"
                );
                if is_step {
                    self.steps.entry(pointer.to_owned()).or_default().push(here);
                }
            }
        }
        Ok(())
    }

    /// The schemas with a `$ref`, and the pointers that these stand for.
    fn references(&mut self) -> Result<Vec<(String, String)>, String> {
        let mut references = Vec::new();
        // What is referred to may have references of its own.
        while let Some(Reference { schema, base, text }) = self.found.pop() {
            let wrong = |wrong: &str| format!("{}: {} {wrong}", place(&format!("{schema}/$ref")), quoted(&text));
            let target = self.resolve(&base, &text).map_err(wrong)?;
            let document = self.document;
            let Some(found) = document.pointer(&target) else {
                return Err(wrong("leads nowhere; no such place is in this document"));
            };
            if !self.schemas.contains(&target) {
                self.read(found, &target, &base)?;
                self.elsewhere.push(target.clone());
            }
            self.steps.entry(schema.clone()).or_default().push(target.clone());
            references.push((schema, target));
        }
        match self.endless() {
            Some((schema, leads)) => {
                Err(format!("{}: this schema leads {leads} without a step into the value", place(&schema)))
            }
            None => Ok(references),
        }
    }

    fn resolve(&self, base: &str, reference: &str) -> Result<String, &'static str> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let uri = if uri.is_empty() { base.to_owned() } else { join(base, uri) };
        let root = self
            .ids
            .get(&uri)
            .ok_or("leads out of this document, and nothing is fetched; put what it means in `$defs`")?;
        let fragment = decoded(fragment).ok_or("is not a URI")?;
        if fragment.is_empty() || fragment.starts_with('/') {
            return Ok(format!("{root}{fragment}"));
        }
        self.anchors.get(&(uri, fragment)).cloned().ok_or("leads nowhere; no such `$anchor` is in this document")
    }

    /// A schema that has to be held against a value before it can be held against that value, or one that leads through
    /// so many others without a step into the value that the validator gives up.
    fn endless(&self) -> Option<(String, &'static str)> {
        // How many schemas follow each at most.
        let mut done: BTreeMap<&str, usize> = BTreeMap::new();
        for start in self.steps.keys() {
            // The schemas on the way here, each with how many of its steps were taken.
            let mut way: Vec<(&str, usize)> = vec![(start, 0)];
            let mut on_the_way = BTreeSet::from([start.as_str()]);
            while let Some((schema, taken)) = way.last_mut() {
                let next = self.steps.get(*schema).and_then(|steps| steps.get(*taken));
                *taken += 1;
                match next {
                    Some(next) if on_the_way.contains(next.as_str()) => return Some((next.clone(), "back to itself")),
                    Some(next) if done.contains_key(next.as_str()) => {}
                    Some(next) => {
                        on_the_way.insert(next);
                        way.push((next, 0));
                    }
                    None => {
                        let schema = *schema;
                        let followers = self.steps.get(schema).into_iter().flatten();
                        let length =
                            followers.filter_map(|next| done.get(next.as_str())).max().map_or(0, |most| most + 1);
                        if length >= MOST_HOPS {
                            return Some((schema.to_owned(), "through too many others"));
                        }
                        on_the_way.remove(schema);
                        done.insert(schema, length);
                        way.pop();
                    }
                }
            }
        }
        None
    }
}

/// What is wrong with the value of a keyword, the schemas in it aside. A keyword that nobody knows is an annotation.
pub(super) fn check_keyword(keyword: &str, value: &Value) -> Result<(), String> {
    let expect = |is: bool, what: &str| match is {
        true => Ok(()),
        false => Err(format!("expected {what}, got {}", describe(value))),
    };
    let is_names = |value: &Value| {
        let names: Option<BTreeSet<&str>> =
            value.as_array().and_then(|names| names.iter().map(Value::as_str).collect());
        names.is_some_and(|names| value.as_array().is_some_and(|all| all.len() == names.len()))
    };
    match keyword {
        "$dynamicRef" | "$recursiveRef" => {
            Err("references that depend on the way are not supported; use `$ref`".to_owned())
        }
        "type" => check_type(value),
        "required" => expect(is_names(value), "an array of different strings"),
        "dependentRequired" => {
            let is_right = value.as_object().is_some_and(|dependent| dependent.values().all(is_names));
            expect(is_right, "an object with arrays of different strings")
        }
        "enum" | "examples" => expect(value.is_array(), "an array"),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minContains" | "maxContains" | "minProperties"
        | "maxProperties" => {
            let is_whole = value.as_f64().is_some_and(|number| number >= 0.0 && number.fract() == 0.0);
            expect(is_whole, "an integer that is not negative")
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => expect(value.is_number(), "a number"),
        "multipleOf" => expect(value.as_f64().is_some_and(|number| number > 0.0), "a number above 0"),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => expect(value.is_boolean(), "true or false"),
        "$id" | "$schema" | "$ref" | "$anchor" | "$dynamicAnchor" | "$comment" | "title" | "description" | "format"
        | "contentEncoding" | "contentMediaType" => expect(value.is_string(), "a string"),
        "pattern" => {
            expect(value.is_string(), "a string")?;
            value.as_str().map_or(Ok(()), check_pattern)
        }
        _ => match kind_of(keyword) {
            Some(Kind::Schemas) => {
                expect(value.as_array().is_some_and(|schemas| !schemas.is_empty()), "an array of one schema or more")
            }
            Some(Kind::NamedSchemas) => {
                expect(value.is_object(), "an object with schemas")?;
                let patterns = value.as_object().filter(|_| keyword == "patternProperties");
                patterns.into_iter().flat_map(Map::keys).try_for_each(|pattern| check_pattern(pattern))
            }
            Some(Kind::Schema | Kind::ContentSchema) | None => Ok(()),
        },
    }
}

fn check_type(value: &Value) -> Result<(), String> {
    const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let names = match value {
        Value::Array(names) if !names.is_empty() => names.as_slice(),
        name => std::slice::from_ref(name),
    };
    match names.iter().find(|name| !name.as_str().is_some_and(|name| TYPES.contains(&name))) {
        None => Ok(()),
        Some(wrong) => Err(super::words::not_a_choice(&TYPES.map(Value::from), wrong)),
    }
}

fn check_pattern(pattern: &str) -> Result<(), String> {
    let wrong = |error| {
        format!(
            "the pattern {} can't be checked here ({error}); lookaround and `\\p{{…}}` are not supported",
            quoted(pattern)
        )
    };
    Regex::new(pattern).map(drop).map_err(wrong)
}

/// A place as it is shown: a JSON pointer, or "the root".
fn place(pointer: &str) -> String {
    if pointer.is_empty() { "the root".to_owned() } else { format!("`{pointer}`") }
}

/// The most frequent word of older dialects that the newer one has another for.
fn tuple_hint(pointer: &str) -> &'static str {
    if pointer.ends_with("/items") { "; a schema for each item is in `prefixItems`" } else { "" }
}

/// A name of a schema, seen from `base`. Without `..`: what has such steps in it is not found.
fn join(base: &str, reference: &str) -> String {
    let is_absolute = reference.split_once(':').is_some_and(|(scheme, _)| !scheme.contains(['/', '?', '#']));
    if is_absolute || base.is_empty() {
        return reference.to_owned();
    }
    let authority = base.find("://").map_or(0, |scheme| scheme + 3);
    let path = base[authority..].find('/').map_or(base.len(), |path| authority + path);
    match (reference.starts_with('/'), base[path..].rfind('/')) {
        (true, _) => format!("{}{reference}", &base[..path]),
        (false, Some(last)) => format!("{}{reference}", &base[..=path + last]),
        (false, None) => format!("{base}/{reference}"),
    }
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else { return true };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, levels)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, levels)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::*;

    /// The faults of `value`, one a line.
    #[track_caller]
    fn check(schema: Value, mut value: Value, faults: &str) {
        let given = GivenSchema::new(schema.clone()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(given.text()).unwrap(), schema, "the text is not what was given");
        let found = given.check(&mut value, "");
        assert_eq!(found.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n"), faults);
    }

    #[track_caller]
    fn check_refused(schema: Value, error: &str) {
        assert_eq!(GivenSchema::new(schema).map(drop), Err(error.to_owned()));
    }

    /// All that the newest dialect has beside plain types: an address that can be referred to in two ways, a need for one
    /// of two members, and a condition.
    fn parcel() -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "place": {
                    "$anchor": "placeDef",
                    "type": "object",
                    "properties": { "road": { "type": "string" }, "town": { "type": "string" } }
                }
            },
            "properties": {
                "to": { "type": "string" },
                "place": { "$ref": "#/$defs/place" },
                "via": { "$ref": "#placeDef" },
                "notify": { "enum": ["letter", "call"] },
                "number": { "type": "string" },
                "box": { "type": "string" }
            },
            "allOf": [{ "anyOf": [{ "required": ["number"] }, { "required": ["box"] }] }],
            "if": { "properties": { "notify": { "const": "call" } }, "required": ["notify"] },
            "then": { "required": ["number"] },
            "else": { "required": ["box"] },
            "additionalProperties": false
        })
    }

    // rows: JSCH-1
    #[test]
    fn a_schema_with_everything_is_listed_as_it_came_and_enforced() {
        let given = GivenSchema::input(parcel()).unwrap();
        assert_eq!(given.text(), parcel().to_string());
        check(
            parcel(),
            json!({ "to": "anna", "place": { "road": "a", "town": "b" }, "notify": "call", "number": "1" }),
            "",
        );
        check(parcel(), json!({ "notify": "letter", "box": "1", "via": { "town": "b" } }), "");
        check(parcel(), json!({ "notify": "call", "box": "1" }), "number: missing");
        check(parcel(), json!({ "number": "1" }), "box: missing");
        check(
            parcel(),
            json!({ "box": "1", "place": { "town": 7 }, "via": { "road": 8 }, "plase": 1 }),
            "place.town: expected a string, got the number 7\nvia.road: expected a string, got the number 8\nplase: unknown member; did you mean `place`? the members are `to`, `place`, `via`, `notify`, `number`, `box`",
        );
        check(
            parcel(),
            json!({}),
            "expected an object with `number` or an object with `box`, got an object\nbox: missing",
        );
    }

    #[test]
    fn results_may_be_of_any_type_and_arguments_are_objects() {
        check(
            json!({ "type": "array", "items": { "type": "string" } }),
            json!(["a", 7]),
            "[1]: expected a string, got the number 7",
        );
        check(json!({ "type": "integer" }), json!(2.5), "expected an integer, got the number 2.5");
        let input = |schema: Value| GivenSchema::input(schema).map(drop);
        assert_eq!(input(json!({ "type": "object" })), Ok(()));
        let error = "`/type`: arguments are an object, so this has to be \"object\", got \"array\"";
        assert_eq!(input(json!({ "type": "array" })), Err(error.to_owned()));
        let error = "the root: arguments are an object, so it needs `\"type\": \"object\"`";
        assert_eq!(input(json!({ "properties": {} })), Err(error.to_owned()));
        check_refused(json!(true), "a schema is an object, got true");
        check_refused(json!("string"), "a schema is an object, got the string \"string\"");
    }

    #[test]
    fn faults_name_the_place_and_integers_become_integers() {
        let given = GivenSchema::input(json!({
            "type": "object",
            "properties": { "order_ids": { "type": "array", "items": { "type": "string" } }, "n": { "type": "integer" } }
        }))
        .unwrap();
        let mut value = json!({ "order_ids": ["a", 7], "n": 3.0 });
        let faults = given.check(&mut value, "");
        assert_eq!(faults[0].to_string(), "order_ids[1]: expected a string, got the number 7");
        assert_eq!(value["n"].to_string(), "3");
        let faults = given.check(&mut json!({ "n": "x" }), "result");
        assert_eq!(faults[0].to_string(), "result.n: expected an integer, got the string \"x\"");
    }

    // rows: JSCH-2
    #[test]
    fn what_is_no_schema_is_refused_at_its_place() {
        check_refused(
            json!({ "type": "objekt" }),
            "`/type`: expected one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\", got the string \"objekt\"; did you mean \"object\"?",
        );
        let schema = json!({ "properties": { "a/b": { "required": "a" } } });
        check_refused(
            schema,
            "`/properties/a~1b/required`: expected an array of different strings, got the string \"a\"",
        );
        check_refused(
            json!({ "required": ["a", "a"] }),
            "`/required`: expected an array of different strings, got an array",
        );
        check_refused(json!({ "properties": [] }), "`/properties`: expected an object with schemas, got an array");
        check_refused(
            json!({ "properties": { "a": "string" } }),
            "`/properties/a`: expected a schema, got the string \"string\"",
        );
        check_refused(json!({ "anyOf": [] }), "`/anyOf`: expected an array of one schema or more, got an array");
        check_refused(json!({ "allOf": [{}, 1] }), "`/allOf/1`: expected a schema, got the number 1");
        check_refused(
            json!({ "items": [{}] }),
            "`/items`: expected a schema, got an array; a schema for each item is in `prefixItems`",
        );
        check_refused(
            json!({ "minLength": -1 }),
            "`/minLength`: expected an integer that is not negative, got the number -1",
        );
        check_refused(json!({ "minimum": "1" }), "`/minimum`: expected a number, got the string \"1\"");
        check_refused(json!({ "exclusiveMinimum": true }), "`/exclusiveMinimum`: expected a number, got true");
        check_refused(json!({ "multipleOf": 0 }), "`/multipleOf`: expected a number above 0, got the number 0");
        check_refused(json!({ "enum": "a" }), "`/enum`: expected an array, got the string \"a\"");
        check_refused(json!({ "description": 1 }), "`/description`: expected a string, got the number 1");
        check_refused(json!({ "uniqueItems": 1 }), "`/uniqueItems`: expected true or false, got the number 1");
        check_refused(
            json!({ "dependentRequired": { "a": "b" } }),
            "`/dependentRequired`: expected an object with arrays of different strings, got an object",
        );
        let error = GivenSchema::new(json!({ "properties": { "a": { "pattern": "^(?=a)" } } })).unwrap_err();
        assert!(
            error.starts_with("`/properties/a/pattern`: the pattern \"^(?=a)\" can't be checked here ("),
            "{error}"
        );
        let error = GivenSchema::new(json!({ "patternProperties": { "(": {} } })).unwrap_err();
        assert!(error.starts_with("`/patternProperties`: the pattern \"(\" can't be checked here ("), "{error}");
        let deep = (0..200).fold(json!({}), |schema, _| json!({ "not": schema }));
        check_refused(deep, "the schema is nested more than 128 levels deep");
        // What nobody knows, and what looks like a schema where none stands, is left alone.
        check(
            json!({ "x-own": { "type": "objekt" }, "default": { "required": "a" }, "const": { "type": 1 } }),
            json!({ "type": 1 }),
            "",
        );
        check(
            json!({ "properties": { "required": { "type": "string" }, "$ref": { "type": "string" } } }),
            json!({}),
            "",
        );
    }

    // rows: JSCH-1
    #[test]
    fn the_dialects_are_2020_12_and_draft_07() {
        for schema in ["https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#"]
        {
            check(json!({ "$schema": schema, "type": "string" }), json!(1), "expected a string, got the number 1");
        }
        check_refused(
            json!({ "$schema": "http://json-schema.org/draft-04/schema#" }),
            "`/$schema`: the dialect \"http://json-schema.org/draft-04/schema#\" is not supported; write \"https://json-schema.org/draft/2020-12/schema\" or \"http://json-schema.org/draft-07/schema#\"",
        );
        let error = GivenSchema::new(json!({ "$schema": 7 })).unwrap_err();
        assert!(error.starts_with("`/$schema`: the dialect 7 is not supported"), "{error}");
        let seven = "http://json-schema.org/draft-07/schema#";
        let error = "`/properties/a/$schema`: one document has one dialect";
        check_refused(json!({ "properties": { "a": { "$schema": seven } } }), error);

        let schema = json!({
            "$schema": seven,
            "type": "object",
            "definitions": { "id": { "$id": "#id", "type": "string" } },
            "properties": {
                "pair": { "items": [{ "type": "string" }, { "type": "integer" }], "additionalItems": false },
                "list": { "items": { "type": "string" }, "additionalItems": { "type": "null" } },
                "one": { "$ref": "#/definitions/id", "maxLength": 1 },
                "other": { "$ref": "#id" }
            },
            "dependencies": { "a": ["b"], "c": { "required": ["d"] } }
        });
        check(schema.clone(), json!({ "pair": ["a", 1], "list": ["a", "b"], "one": "long", "other": "x" }), "");
        check(
            schema,
            json!({ "pair": [1, 2, 3], "list": [null], "one": 1, "other": 2, "a": 1, "c": 1 }),
            "b: missing, needed together with `a`\npair[0]: expected a string, got the number 1\npair[2]: no more than 2 items are expected\nlist[0]: expected a string, got null\none: expected a string, got the number 1\nother: expected a string, got the number 2\nd: missing",
        );
    }

    // rows: JSCH-3, JSCH-4
    #[test]
    fn a_reference_that_leads_out_or_nowhere_is_refused() {
        let out = "leads out of this document, and nothing is fetched; put what it means in `$defs`";
        let schema = |reference: &str| json!({ "properties": { "a": { "$ref": reference } }, "$defs": { "x": {} } });
        let refused = |reference: &str, why: &str| {
            check_refused(schema(reference), &format!("`/properties/a/$ref`: \"{reference}\" {why}"));
        };
        for reference in [
            "https://canary.example/schema.json",
            "http://127.0.0.1/x#/$defs/y",
            "file:///etc/passwd",
            "//canary.example/x",
            "other.json",
            "other.json#/$defs/x",
        ] {
            refused(reference, out);
        }
        refused("#/$defs/y", "leads nowhere; no such place is in this document");
        refused("#/$defs/x/", "leads nowhere; no such place is in this document");
        refused("#x", "leads nowhere; no such `$anchor` is in this document");
        let error = "references that depend on the way are not supported; use `$ref`";
        check_refused(json!({ "items": { "$dynamicRef": "#x" } }), &format!("`/items/$dynamicRef`: {error}"));
        check_refused(json!({ "$recursiveRef": "#" }), &format!("`/$recursiveRef`: {error}"));
        check_refused(json!({ "$ref": 7 }), "`/$ref`: expected a string, got the number 7");
        check_refused(json!({ "x": [1], "items": { "$ref": "#/x" } }), "`/x`: expected a schema, got an array");
    }

    // rows: JSCH-4
    #[test]
    fn a_reference_may_be_written_in_many_ways() {
        let wrong = "a: expected a string, got the number 1";
        for reference in
            ["#/$defs/x", "#/%24defs/x", "#text", "#/properties/b", "#/allOf/0", "#/$defs/a~1%20~0%25", "#/own/deep/x"]
        {
            let schema = json!({
                "properties": { "a": { "$ref": reference }, "b": { "type": "string" } },
                "allOf": [{ "not": { "type": "number" } }],
                "$defs": { "x": { "$anchor": "text", "type": "string" }, "a/ ~%": { "type": "string" } },
                "own": { "deep": { "x": { "type": "string" } } }
            });
            check(schema.clone(), json!({ "a": "x" }), "");
            let expected = if reference == "#/allOf/0" { "a: 1 is not allowed" } else { wrong };
            check(schema, json!({ "a": 1 }), expected);
        }
        for reference in [
            "https://own.example/s/root.json#/$defs/x",
            "root.json#/$defs/x",
            "/s/root.json#text",
            "x.json",
            "x.json#in",
        ] {
            let schema = json!({
                "$id": "https://own.example/s/root.json",
                "properties": { "a": { "$ref": reference } },
                "$defs": {
                    "x": { "$anchor": "text", "type": "string" },
                    "y": { "$id": "x.json", "$ref": "#/$defs/z", "$defs": { "z": { "$anchor": "in", "type": "string" } } }
                }
            });
            check(schema, json!({ "a": 1 }), wrong);
        }
        // A pattern is enforced wherever the schema stands.
        let schema = json!({ "properties": { "a": { "$ref": "#/own" } }, "own": { "pattern": "^a$" } });
        check(schema, json!({ "a": "b" }), "a: expected a string that matches the pattern `^a$`, got the string \"b\"");
        check_refused(
            json!({ "$defs": { "a": { "$anchor": "x" }, "b": { "$anchor": "x" } } }),
            "`/$defs/b/$anchor`: two schemas have the anchor \"x\"",
        );
    }

    // rows: JSCH-5
    #[test]
    fn a_schema_that_is_accepted_can_be_enforced_however_long_its_ways_are() {
        let chain = |length: usize, step: &dyn Fn(String) -> Value| {
            let mut defs: Map<String, Value> =
                (0..length).map(|at| (format!("a{at}"), step(format!("#/$defs/a{}", at + 1)))).collect();
            defs.insert(format!("a{length}"), json!({ "type": "string" }));
            json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a0" } }, "$defs": defs })
        };
        let steps: [&dyn Fn(String) -> Value; 3] = [
            &|next| json!({ "$ref": next }),
            &|next| json!({ "anyOf": [{ "$ref": next }] }),
            &|next| json!({ "description": "x", "allOf": [{ "$ref": next }], "minLength": 0 }),
        ];
        for (kind, step) in steps.into_iter().enumerate() {
            let mut accepted = 0;
            for length in 0..60 {
                let Ok(schema) = GivenSchema::input(chain(length, step)) else { continue };
                accepted += 1;
                let faults = schema.check(&mut json!({ "a": "x" }), "");
                assert!(faults.is_empty(), "{kind} {length}: {faults:?}");
                assert!(!schema.check(&mut json!({ "a": 1 }), "").is_empty(), "{kind} {length}");
            }
            assert!((10..50).contains(&accepted), "{kind}: {accepted}");
        }
    }

    #[test]
    fn a_schema_without_an_end_is_refused() {
        let back = "this schema leads back to itself without a step into the value";
        check_refused(json!({ "$ref": "#" }), &format!("the root: {back}"));
        check_refused(
            json!({ "$defs": { "a": { "anyOf": [{ "$ref": "#/$defs/b" }] }, "b": { "not": { "$ref": "#/$defs/a" } } } }),
            &format!("`/$defs/a`: {back}"),
        );
        let tree = json!({
            "type": "object",
            "properties": { "kids": { "items": { "$ref": "#" } }, "name": { "type": "string" } },
            "additionalProperties": false
        });
        check(
            tree,
            json!({ "kids": [{ "kids": [{ "name": 1 }] }] }),
            "kids[0].kids[0].name: expected a string, got the number 1",
        );
    }

    // rows: JSCH-5
    #[test]
    fn a_schema_with_too_many_ways_ends_with_one_fault() {
        let many = "too many ways to read this value; send a simpler one";
        let doubled = |key: &str, last: Value| {
            let mut definitions = Map::new();
            for level in 0..10 {
                let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
                definitions.insert(level.to_string(), json!({ key: vec![next; 8] }));
            }
            definitions.insert("10".to_owned(), last);
            json!({ "$ref": "#/$defs/0", "$defs": definitions })
        };
        let started = Instant::now();
        for key in ["allOf", "anyOf", "oneOf"] {
            check(doubled(key, json!({ "type": "string" })), json!({ "a": 1 }), many);
        }
        let mut unevaluated = doubled("allOf", json!({}));
        unevaluated["unevaluatedProperties"] = false.into();
        check(unevaluated, json!({ "a": 1 }), many);
        // Each form looks at the whole list again.
        let mut unique = doubled("allOf", json!({ "uniqueItems": true }));
        unique["type"] = "array".into();
        check(unique, (0..20_000).collect(), many);
        check(
            json!({ "anyOf": [{ "items": { "$ref": "#" } }, { "prefixItems": [{ "$ref": "#" }], "minItems": 3 }], "not": { "const": 1 } }),
            (0..100).fold(json!(1), |value, _| json!([value])),
            many,
        );
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }

    // rows: JSCH-5
    #[test]
    fn a_deep_value_does_not_end_the_stack() {
        let schema = json!({
            "allOf": [{ "anyOf": [{ "oneOf": [{ "if": {}, "then": { "items": { "$ref": "#" } } }] }] }]
        });
        let value = (0..126).fold(json!([]), |value, _| json!([value]));
        check(schema, value, "too many ways to read this value; send a simpler one");
        let schema = json!({ "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/list" }], "$defs": { "list": { "items": { "$ref": "#" } } } });
        let value = (0..126).fold(json!([]), |value, _| json!([value]));
        check(schema, value, "");
    }

    #[test]
    fn every_assertion_of_the_dialect_is_enforced() {
        for (schema, good, bad) in [
            (json!({ "type": ["string", "null"] }), json!(null), json!(1)),
            (json!({ "enum": [1, "a", { "b": 2 }] }), json!({ "b": 2.0 }), json!("b")),
            (json!({ "const": [1] }), json!([1.0]), json!([2])),
            (json!({ "enum": [1, 2], "const": 2 }), json!(2), json!(1)),
            (json!({ "multipleOf": 0.5 }), json!(1.5), json!(1.2)),
            (json!({ "minimum": 1 }), json!(1), json!(0)),
            (json!({ "exclusiveMaximum": 1 }), json!(0), json!(1)),
            (json!({ "minLength": 2.0 }), json!("ab"), json!("a")),
            (json!({ "pattern": "b" }), json!("abc"), json!("ac")),
            (
                json!({ "prefixItems": [{ "type": "string" }], "items": { "type": "integer" } }),
                json!(["a", 1]),
                json!(["a", "b"]),
            ),
            (json!({ "contains": { "type": "string" }, "minContains": 2 }), json!(["a", "b"]), json!(["a", 1])),
            (json!({ "contains": { "type": "string" }, "maxContains": 1 }), json!(["a", 1]), json!(["a", "b"])),
            (json!({ "uniqueItems": true }), json!([1, "1"]), json!([1, 1.0])),
            (json!({ "maxItems": 1 }), json!([1]), json!([1, 2])),
            (json!({ "minProperties": 1 }), json!({ "a": 1 }), json!({})),
            (json!({ "required": ["a"] }), json!({ "a": null }), json!({})),
            (json!({ "dependentRequired": { "a": ["b"] } }), json!({ "b": 1 }), json!({ "a": 1 })),
            (json!({ "dependentSchemas": { "a": { "required": ["b"] } } }), json!({}), json!({ "a": 1 })),
            (json!({ "propertyNames": { "maxLength": 1 } }), json!({ "a": 1 }), json!({ "ab": 1 })),
            (json!({ "properties": { "a": false } }), json!({ "b": 1 }), json!({ "a": 1 })),
            (json!({ "patternProperties": { "^a": { "type": "string" } } }), json!({ "b": 1 }), json!({ "ab": 1 })),
            (
                json!({ "additionalProperties": { "type": "string" }, "properties": { "a": {} } }),
                json!({ "a": 1 }),
                json!({ "b": 1 }),
            ),
            (json!({ "not": { "type": "string" } }), json!(1), json!("a")),
            (json!({ "oneOf": [{ "minimum": 1 }, { "maximum": 1 }] }), json!(2), json!(1)),
            (
                json!({ "if": { "type": "string" }, "then": { "minLength": 1 }, "else": { "minimum": 1 } }),
                json!(1),
                json!(""),
            ),
            (
                json!({ "allOf": [{ "properties": { "a": {} } }], "unevaluatedProperties": false }),
                json!({ "a": 1 }),
                json!({ "b": 1 }),
            ),
            (json!({ "prefixItems": [{}], "unevaluatedItems": false }), json!([1]), json!([1, 2])),
            (json!({ "$ref": "#/$defs/a", "minimum": 5, "$defs": { "a": { "type": "integer" } } }), json!(5), json!(4)),
        ] {
            let given = GivenSchema::new(schema.clone()).unwrap();
            assert_eq!(given.check(&mut good.clone(), ""), [], "{schema} {good}");
            assert_eq!(given.check(&mut bad.clone(), "").len(), 1, "{schema} {bad}");
        }
    }
}
