//! Holds a value against a schema, and says everything that is wrong with it.
//!
//! The texts go to the model that sent the value: they name the place, what belongs there, and what came.

use std::{
    cell::Cell,
    cmp::Ordering,
    collections::{BTreeMap, HashMap},
    fmt::{self, Write as _},
};

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::{
    clean::{find, look_at_each_subschema},
    generate::decoded,
    words::{self, bare, describe, expected, names, quoted},
};

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where: `order_ids[1]`, `near.x`.
    pub(crate) path: String,
    /// What: `expected a string, got the number 7`.
    pub(crate) message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return formatter.write_str(&self.message);
        }
        write!(formatter, "{}: {}", self.path, self.message)
    }
}

/// What the schemas of one document share: the places that they refer to, and their patterns made ready.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    document: Value,
    patterns: BTreeMap<String, Regex>,
}

impl Definitions {
    /// `schemas` are the `$defs`; `roots` all other schemas that will be checked against.
    pub(crate) fn new<'a>(schemas: Map<String, Value>, roots: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut patterns = BTreeMap::new();
        schemas.values().for_each(|schema| collect_patterns(schema, &mut patterns));
        roots.into_iter().for_each(|schema| collect_patterns(schema, &mut patterns));
        // Most documents have none, and then nothing refers to one.
        let document = match schemas.is_empty() {
            true => Value::Null,
            false => Value::Object(Map::from_iter([("$defs".to_owned(), schemas.into())])),
        };
        Self { document, patterns }
    }

    /// Of a whole document, in which every `$ref` is a JSON pointer. `elsewhere` are the schemas in it that stand where
    /// no keyword leads to.
    pub(super) fn of_document(document: Value, elsewhere: &[String]) -> Self {
        let mut patterns = BTreeMap::new();
        for schema in elsewhere.iter().filter_map(|pointer| document.pointer(pointer)).chain([&document]) {
            collect_patterns(schema, &mut patterns);
        }
        Self { document, patterns }
    }

    /// The schema that the document is.
    pub(super) fn document(&self) -> &Value {
        &self.document
    }

    /// Follows a schema that is only a `$ref` to what it refers to.
    pub(super) fn resolved<'a>(&'a self, mut schema: &'a Value) -> &'a Value {
        for _ in 0..MOST_HOPS {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { break };
            let Some(target) = self.target(reference) else { break };
            schema = target;
        }
        schema
    }

    fn target(&self, reference: &str) -> Option<&Value> {
        self.document.pointer(&decoded(reference.strip_prefix('#')?)?)
    }

    /// A pattern that can't be compiled here (the dialects differ) is not enforced.
    fn matches(&self, pattern: &str, text: &str) -> bool {
        self.patterns.get(pattern).is_none_or(|regex| regex.is_match(text))
    }
}

/// How many schemas may stand in a row without one step into the value: more is a definition that refers to itself.
pub(super) const MOST_HOPS: usize = 32;

/// How deep schemas may be followed in all, steps into the value included: each one takes its part of the stack.
const DEEPEST: usize = 512;

/// Adds all that is wrong with `value` to `faults`; `path` says where it stands.
///
/// Where the schema says `integer`, an integral float becomes an integer: to JSON Schema `3.0` is one, to serde it isn't.
/// Nothing else about the value changes.
pub(crate) fn validate(
    schema: &Value,
    definitions: &Definitions,
    value: &mut Value,
    path: &str,
    faults: &mut Vec<Fault>,
) {
    let check = Check { definitions, budget: Cell::new(10_000 + 64 * size(value)), depth: Cell::new(0) };
    let before = faults.len();
    check.value(schema, value, &Path::Root(path), 0, faults);
    if check.budget.get() == 0 {
        faults.truncate(before);
        faults.push(Fault {
            path: path.to_owned(),
            message: "too many ways to read this value; send a simpler one".to_owned(),
        });
    }
}

/// The place of a value, kept as a chain so that only a fault costs a text.
enum Path<'a> {
    Root(&'a str),
    Member(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(path) => formatter.write_str(path),
            Self::Item(parent, index) => write!(formatter, "{parent}[{index}]"),
            Self::Member(parent, name) => {
                write!(formatter, "{parent}")?;
                match is_plain(name) {
                    true if matches!(parent, Self::Root("")) => formatter.write_str(name),
                    true => write!(formatter, ".{name}"),
                    false => write!(formatter, "[{}]", quoted(name)),
                }
            }
        }
    }
}

/// Whether a name reads well in a path without quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    (1..=60).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

struct Check<'a> {
    definitions: &'a Definitions,
    /// How many schemas may still be looked at. Alternatives inside alternatives can ask for more than anyone has time for.
    budget: Cell<usize>,
    /// How many schemas are being looked at, each for the sake of the one before.
    depth: Cell<usize>,
}

type Faults = Vec<Fault>;

impl Check<'_> {
    /// `hops` counts the schemas since the last step into the value.
    fn value(&self, whole: &Value, value: &mut Value, path: &Path<'_>, hops: usize, faults: &mut Faults) {
        let schema = match whole {
            Value::Bool(false) => return fault(faults, path, "nothing is allowed here"),
            Value::Object(schema) if !schema.is_empty() => schema,
            _ => return,
        };
        if hops >= MOST_HOPS || self.depth.get() >= DEEPEST {
            // What has no end can't be said to hold.
            return self.budget.set(0);
        }
        if !self.pay(cost(value)) {
            // `validate` says so, whatever else is found.
            return;
        }
        self.depth.set(self.depth.get() + 1);
        self.keywords(whole, schema, value, path, hops, faults);
        self.depth.set(self.depth.get() - 1);
    }

    /// Takes steps out of the budget: whether there are some left.
    fn pay(&self, steps: usize) -> bool {
        let left = self.budget.get().saturating_sub(steps);
        self.budget.set(left);
        left > 0
    }

    fn keywords(
        &self,
        whole: &Value,
        schema: &Map<String, Value>,
        value: &mut Value,
        path: &Path<'_>,
        hops: usize,
        faults: &mut Faults,
    ) {
        if let Some(kind) = schema.get("type")
            && !has_type(value, kind)
        {
            let expected = expected(whole, self.definitions);
            return fault(faults, path, format!("expected {expected}, got {}", describe(value)));
        }
        if schema.get("type").is_some_and(asks_whole) {
            make_whole(value);
        }
        if !self.choice(schema, value, path, faults) {
            return;
        }
        match value {
            Value::Number(_) => number(schema, value, path, faults),
            Value::String(text) => self.text(schema, text, path, faults),
            Value::Array(items) => self.items(schema, items, path, faults),
            Value::Object(members) => self.members(schema, members, path, faults),
            Value::Null | Value::Bool(_) => {}
        }
        self.combined(schema, value, path, hops, faults);
        self.unevaluated(schema, value, path, faults);
    }

    /// A refusal nobody hears of.
    fn accepts(&self, schema: &Value, value: &mut Value, hops: usize) -> bool {
        let mut faults = Vec::new();
        self.value(schema, value, &Path::Root(""), hops, &mut faults);
        faults.is_empty()
    }

    /// `enum` and `const`.
    fn choice(&self, schema: &Map<String, Value>, value: &mut Value, path: &Path<'_>, faults: &mut Faults) -> bool {
        let values = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        for allowed in values.into_iter().chain(schema.get("const").map(std::slice::from_ref)) {
            let Some(same) = allowed.iter().find(|allowed| equal(allowed, value)) else {
                fault(faults, path, words::not_a_choice(allowed, value));
                return false;
            };
            if value.is_number() {
                *value = same.clone();
            }
        }
        true
    }

    fn text(&self, schema: &Map<String, Value>, text: &str, path: &Path<'_>, faults: &mut Faults) {
        let limits = ["minLength", "maxLength"].map(|key| limit(schema, key));
        if limits.iter().any(Option::is_some) {
            let length = text.chars().count();
            if let Some(wanted) = out_of(limits, length, "character") {
                fault(faults, path, format!("expected {wanted}, got {length} in {}", describe(&text.into())));
            }
        }
        if let Some(Value::String(pattern)) = schema.get("pattern")
            && !self.definitions.matches(pattern, text)
        {
            let got = describe(&text.into());
            fault(faults, path, format!("expected a string that matches the pattern `{pattern}`, got {got}"));
        }
    }

    fn items(&self, schema: &Map<String, Value>, items: &mut [Value], path: &Path<'_>, faults: &mut Faults) {
        let limits = ["minItems", "maxItems"].map(|key| limit(schema, key));
        if let Some(wanted) = out_of(limits, items.len(), "item") {
            fault(faults, path, format!("expected {wanted}, got {}", items.len()));
        }
        let first = schema.get("prefixItems").and_then(Value::as_array).map_or([].as_slice(), Vec::as_slice);
        for (index, item) in items.iter_mut().enumerate() {
            if faults.len() > MOST_FAULTS {
                return;
            }
            match (first.get(index), schema.get("items")) {
                (Some(schema), _) => self.value(schema, item, &Path::Item(path, index), 0, faults),
                (None, Some(Value::Bool(false))) => {
                    fault(faults, &Path::Item(path, index), format!("no more than {} items are expected", first.len()));
                }
                (None, Some(schema)) => self.value(schema, item, &Path::Item(path, index), 0, faults),
                (None, None) => break,
            }
        }
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) && self.pay(items.iter().map(size).sum()) {
            let mut seen = HashMap::new();
            for (index, item) in items.iter().enumerate() {
                let mut text = String::new();
                canonical(item, &mut text);
                if let Some(earlier) = seen.get(&text) {
                    fault(
                        faults,
                        &Path::Item(path, index),
                        format!("the same as item {earlier}; all items have to differ"),
                    );
                } else {
                    seen.insert(text, index);
                }
            }
        }
        if let Some(wanted) = schema.get("contains") {
            let found = items.iter_mut().map(|item| usize::from(self.accepts(wanted, item, 0))).sum();
            let least = limit(schema, "minContains").unwrap_or(1);
            if let Some(count) = out_of([Some(least), limit(schema, "maxContains")], found, "item") {
                let wanted = expected(wanted, self.definitions);
                fault(faults, path, format!("expected {count} to be {wanted}, got {found}"));
            }
        }
    }

    fn members(
        &self,
        schema: &Map<String, Value>,
        members: &mut Map<String, Value>,
        path: &Path<'_>,
        faults: &mut Faults,
    ) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = names(schema.get("required"));

        for name in &required {
            if !members.contains_key(*name) {
                let message = match properties.and_then(|properties| properties.get(*name)) {
                    Some(schema) => format!("missing, expected {}", expected(schema, self.definitions)),
                    None => "missing".to_owned(),
                };
                fault(faults, &Path::Member(path, name), message);
            }
        }
        let limits = ["minProperties", "maxProperties"].map(|key| limit(schema, key));
        if let Some(wanted) = out_of(limits, members.len(), "member") {
            fault(faults, path, format!("expected {wanted}, got {}", members.len()));
        }
        if let Some(Value::Object(dependent)) = schema.get("dependentRequired") {
            for (name, needed) in dependent.iter().filter(|(name, _)| members.contains_key(*name)) {
                for needed in names(Some(needed)).into_iter().filter(|needed| !members.contains_key(*needed)) {
                    fault(faults, &Path::Member(path, needed), format!("missing, needed together with `{name}`"));
                }
            }
        }

        // Faults are told in the order in which the members were declared, whatever order they came in.
        for name in properties.into_iter().flat_map(Map::keys) {
            if let Some(member) = members.get_mut(name) {
                self.member(schema, name, member, path, faults);
            }
        }
        for (name, member) in members {
            if !properties.is_some_and(|properties| properties.contains_key(name)) {
                self.member(schema, name, member, path, faults);
            }
        }
    }

    /// One member: by its name, its pattern, or as one of the others.
    fn member(
        &self,
        schema: &Map<String, Value>,
        name: &str,
        member: &mut Value,
        path: &Path<'_>,
        faults: &mut Faults,
    ) {
        if faults.len() > MOST_FAULTS {
            return;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let path = Path::Member(path, name);
        if let Some(schema) = schema.get("propertyNames") {
            let mut inner = Vec::new();
            self.value(schema, &mut Value::from(name), &path, 0, &mut inner);
            for inner in inner {
                fault(faults, &path, format!("not allowed as a name: {}", inner.message));
            }
        }
        let mut known = false;
        if let Some(property) = properties.and_then(|properties| properties.get(name)) {
            known = true;
            let before = faults.len();
            self.value(property, member, &path, 0, faults);
            if member.is_null() && !names(schema.get("required")).contains(&name) {
                suggest_leaving_out(&mut faults[before..]);
            }
        }
        for (pattern, schema) in patterns.into_iter().flatten() {
            if self.definitions.patterns.get(pattern).is_some_and(|regex| regex.is_match(name)) {
                known = true;
                self.value(schema, member, &path, 0, faults);
            }
        }
        match schema.get("additionalProperties") {
            // With a pattern that can't be compiled no name is known to be wrong.
            Some(Value::Bool(false)) if !known && !self.has_foreign_pattern(patterns) => {
                let known = properties.into_iter().flat_map(Map::keys).map(String::as_str);
                let message = match patterns.and_then(|patterns| patterns.keys().next()) {
                    Some(pattern) => format!("unknown member; names have to match the pattern `{pattern}`"),
                    None => words::unknown("member", name, known),
                };
                fault(faults, &path, message);
            }
            Some(Value::Object(_)) if known => {}
            Some(schema @ Value::Object(_)) => self.value(schema, member, &path, 0, faults),
            _ => {}
        }
    }

    fn has_foreign_pattern(&self, patterns: Option<&Map<String, Value>>) -> bool {
        patterns.into_iter().flat_map(Map::keys).any(|pattern| !self.definitions.patterns.contains_key(pattern))
    }

    /// The keywords that put schemas together: `$ref`, `allOf`, `anyOf`, `oneOf`, `not`, `if`, `dependentSchemas`.
    fn combined(
        &self,
        schema: &Map<String, Value>,
        value: &mut Value,
        path: &Path<'_>,
        hops: usize,
        faults: &mut Faults,
    ) {
        let hops = hops + 1;
        if let Some(target) = schema.get("$ref").and_then(|reference| self.definitions.target(reference.as_str()?)) {
            self.value(target, value, path, hops, faults);
        }
        for part in list(schema, "allOf") {
            self.value(part, value, path, hops, faults);
        }
        for (key, just_one) in [("anyOf", false), ("oneOf", true)] {
            if schema.contains_key(key) {
                self.one_form(list(schema, key), just_one, value, path, hops, faults);
            }
        }
        if let Some(not) = schema.get("not")
            && self.accepts(not, value, hops)
        {
            fault(faults, path, format!("{} is not allowed", bare(value)));
        }
        if let Some(condition) = schema.get("if") {
            let branch = if self.accepts(condition, value, hops) { "then" } else { "else" };
            if let Some(branch) = schema.get(branch) {
                self.value(branch, value, path, hops, faults);
            }
        }
        if let Some(Value::Object(dependent)) = schema.get("dependentSchemas") {
            for (name, dependent) in dependent {
                if value.get(name).is_some() {
                    self.value(dependent, value, path, hops, faults);
                }
            }
        }
    }

    /// `anyOf` and `oneOf`: when no form fits, speaks about the one that was meant.
    fn one_form(
        &self,
        forms: &[Value],
        just_one: bool,
        value: &mut Value,
        path: &Path<'_>,
        hops: usize,
        faults: &mut Faults,
    ) {
        let mut failed: Vec<(&Value, Faults)> = Vec::new();
        let mut fitting = 0;
        for form in forms {
            let mut own = Vec::new();
            self.value(form, value, path, hops, &mut own);
            if !own.is_empty() {
                failed.push((form, own));
                continue;
            }
            fitting += 1;
            if !just_one {
                return;
            }
        }
        match fitting {
            0 => self.explain(failed, value, path, faults),
            1 => {}
            _ => fault(faults, path, "fits more than one of the allowed forms, expected just one"),
        }
    }

    fn explain(&self, mut failed: Vec<(&Value, Faults)>, value: &Value, path: &Path<'_>, faults: &mut Faults) {
        let forms: Vec<&Value> = failed.iter().map(|(form, _)| *form).collect();
        failed.retain(|(form, _)| self.may_mean(form, value, 0));

        if let Value::Object(members) = value
            && failed.len() > 1
        {
            let objects: Vec<&Value> = failed.iter().map(|(form, _)| self.definitions.resolved(form)).collect();
            if let Some(tag) = tag_of(&objects) {
                let allowed: Vec<Value> = objects.iter().filter_map(|form| only_choice(form, tag)).cloned().collect();
                let path = Path::Member(path, tag);
                match members.get(tag) {
                    None => return fault(faults, &path, format!("missing, expected {}", words::choices(&allowed))),
                    Some(given) if !allowed.contains(given) => {
                        return fault(faults, &path, words::not_a_choice(&allowed, given));
                    }
                    Some(given) => {
                        failed.retain(|(form, _)| only_choice(self.definitions.resolved(form), tag) == Some(given));
                    }
                }
            } else {
                let complete = |form: &Value| {
                    names(self.definitions.resolved(form).get("required"))
                        .iter()
                        .all(|name| members.contains_key(*name))
                };
                if failed.iter().any(|(form, _)| complete(form)) {
                    failed.retain(|(form, _)| complete(form));
                }
            }
        }
        if let [(_, own)] = failed.as_mut_slice() {
            return faults.append(own);
        }
        let mut allowed: Vec<String> = Vec::new();
        for form in forms {
            let text = words::form(form, self.definitions);
            if !allowed.contains(&text) {
                allowed.push(text);
            }
        }
        let got = match value {
            Value::Object(members) if !members.is_empty() => {
                format!("an object with {}", words::listed(members.keys().map(String::as_str)))
            }
            value => describe(value),
        };
        fault(faults, path, format!("expected {}, got {got}", allowed.join(" or ")));
    }

    /// Whether `value` is of the type that `schema` asks for, whatever else may be wrong with it.
    fn may_mean(&self, schema: &Value, value: &Value, depth: usize) -> bool {
        let schema = self.definitions.resolved(schema);
        if depth > MOST_HOPS || !self.pay(1) {
            return true;
        }
        if let Some(kind) = schema.get("type") {
            return has_type(value, kind);
        }
        let kind = std::mem::discriminant(value);
        if let Some(Value::Array(values)) = schema.get("enum") {
            return values.iter().any(|value| std::mem::discriminant(value) == kind);
        }
        if let Some(constant) = schema.get("const") {
            return std::mem::discriminant(constant) == kind;
        }
        let Value::Object(schema) = schema else { return schema != &Value::Bool(false) };
        let mut means = |form: &Value| self.may_mean(form, value, depth + 1);
        list(schema, "allOf").iter().all(&mut means)
            && ["anyOf", "oneOf"]
                .iter()
                .all(|key| !schema.contains_key(*key) || list(schema, key).iter().any(&mut means))
    }

    /// `unevaluatedProperties`, which stands where structs are flattened into each other, and `unevaluatedItems`.
    fn unevaluated(&self, schema: &Map<String, Value>, value: &mut Value, path: &Path<'_>, faults: &mut Faults) {
        if let Some(rest) = schema.get("unevaluatedProperties")
            && let Value::Object(members) = &*value
        {
            let names: Vec<String> = members.keys().cloned().collect();
            for name in names {
                if self.speaks_of(schema, &Part::Member(&name), value, 0) {
                    continue;
                }
                let path = Path::Member(path, &name);
                if *rest == Value::Bool(false) {
                    fault(faults, &path, "unknown member");
                } else if let Some(member) = value.get_mut(&name) {
                    self.value(rest, member, &path, 0, faults);
                }
            }
        }
        if let Some(rest) = schema.get("unevaluatedItems")
            && let Value::Array(items) = &*value
        {
            for index in 0..items.len() {
                if self.speaks_of(schema, &Part::Item(index), value, 0) {
                    continue;
                }
                let path = Path::Item(path, index);
                if *rest == Value::Bool(false) {
                    fault(faults, &path, "no item is expected here");
                } else if let Some(item) = value.get_mut(index) {
                    self.value(rest, item, &path, 0, faults);
                }
            }
        }
    }

    /// Whether `schema`, or one of the schemas it is put together from, says something about this part of `value`.
    fn speaks_of(&self, schema: &Map<String, Value>, part: &Part<'_>, value: &mut Value, hops: usize) -> bool {
        if hops >= MOST_HOPS || !self.pay(1) {
            return false;
        }
        let has = |key: &str| schema.get(key).and_then(Value::as_object);
        let speaks = match *part {
            Part::Member(name) => {
                schema.contains_key("additionalProperties")
                    || (hops > 0 && schema.contains_key("unevaluatedProperties"))
                    || has("properties").is_some_and(|properties| properties.contains_key(name))
                    || has("patternProperties")
                        .is_some_and(|patterns| patterns.keys().any(|pattern| self.definitions.matches(pattern, name)))
            }
            Part::Item(index) => {
                schema.contains_key("items")
                    || (hops > 0 && schema.contains_key("unevaluatedItems"))
                    || index < list(schema, "prefixItems").len()
                    || schema
                        .get("contains")
                        .is_some_and(|wanted| value.get_mut(index).is_some_and(|item| self.accepts(wanted, item, 0)))
            }
        };
        if speaks {
            return true;
        }
        let inner = |schema: &Value, value: &mut Value| {
            schema.as_object().is_some_and(|schema| self.speaks_of(schema, part, value, hops + 1))
        };
        if let Some(target) = schema.get("$ref").and_then(|reference| self.definitions.target(reference.as_str()?))
            && inner(target, value)
        {
            return true;
        }
        if list(schema, "allOf").iter().any(|form| inner(form, value)) {
            return true;
        }
        for key in ["anyOf", "oneOf"] {
            if list(schema, key).iter().any(|form| inner(form, value) && self.accepts(form, value, 0)) {
                return true;
            }
        }
        if let Some(condition) = schema.get("if") {
            let holds = self.accepts(condition, value, 0);
            let branch = schema.get(if holds { "then" } else { "else" });
            if (holds && inner(condition, value)) || branch.is_some_and(|branch| inner(branch, value)) {
                return true;
            }
        }
        has("dependentSchemas").is_some_and(|dependent| {
            dependent.iter().any(|(needs, form)| value.get(needs).is_some() && inner(form, value))
        })
    }
}

/// What a schema can speak of inside of a value.
enum Part<'a> {
    Member(&'a str),
    Item(usize),
}

/// A member that tells the forms apart: each allows one text for it.
fn tag_of<'a>(forms: &[&'a Value]) -> Option<&'a str> {
    let properties = forms.first()?.get("properties")?.as_object()?;
    properties.keys().map(String::as_str).find(|name| forms.iter().all(|form| only_choice(form, name).is_some()))
}

fn only_choice<'a>(form: &'a Value, name: &str) -> Option<&'a Value> {
    let property = form.get("properties")?.get(name)?;
    let choice = match (property.get("const"), property.get("enum")) {
        (Some(constant), _) => constant,
        (None, Some(Value::Array(values))) if values.len() == 1 => &values[0],
        _ => return None,
    };
    choice.is_string().then_some(choice)
}

/// After so many faults in one value, another one helps nobody.
const MOST_FAULTS: usize = 100;

fn fault(faults: &mut Faults, path: &Path<'_>, message: impl Into<String>) {
    match faults.len().cmp(&MOST_FAULTS) {
        Ordering::Less => faults.push(Fault { path: path.to_string(), message: message.into() }),
        Ordering::Equal => faults.push(Fault { path: String::new(), message: "… and more of the kind".to_owned() }),
        Ordering::Greater => {}
    }
}

/// Says how to do without the `null` that was refused.
pub(crate) fn suggest_leaving_out(faults: &mut [Fault]) {
    if let [fault] = faults {
        fault.message.push_str("; leave it out when there is none");
    }
}

fn number(schema: &Map<String, Value>, value: &Value, path: &Path<'_>, faults: &mut Faults) {
    let bounds = [
        ("minimum", "at least", [Ordering::Greater, Ordering::Equal]),
        ("exclusiveMinimum", "more than", [Ordering::Greater; 2]),
        ("maximum", "at most", [Ordering::Less, Ordering::Equal]),
        ("exclusiveMaximum", "less than", [Ordering::Less; 2]),
    ];
    for (key, words, allowed) in bounds {
        if let Some(bound) = schema.get(key)
            && let Some(order) = Num::of(value).zip(Num::of(bound)).and_then(|(value, bound)| value.compare(bound))
            && !allowed.contains(&order)
        {
            fault(faults, path, format!("expected {words} {bound}, got {}", bare(value)));
        }
    }
    if let Some(unit) = schema.get("multipleOf")
        && let Some((value_number, unit_number)) = Num::of(value).zip(Num::of(unit))
        && !value_number.is_multiple_of(unit_number)
    {
        fault(faults, path, format!("expected a multiple of {unit}, got {}", bare(value)));
    }
}

/// A number as JSON Schema sees it: `3.0` and `3` are the same.
#[derive(Debug, Clone, Copy)]
enum Num {
    Whole(i128),
    Float(f64),
}

impl Num {
    fn of(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        if let Some(whole) = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)) {
            return Some(Self::Whole(whole));
        }
        let float = number.as_f64()?;
        // Below 2^126 a float without a fraction is an `i128`.
        Some(if float.fract() == 0.0 && float.abs() < 8.5e37 { Self::Whole(float as i128) } else { Self::Float(float) })
    }

    fn float(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        }
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => Some(one.cmp(&other)),
            (one, other) => one.float().partial_cmp(&other.float()),
        }
    }

    fn is_multiple_of(self, unit: Self) -> bool {
        match (self, unit) {
            (_, Self::Whole(0)) => true,
            (Self::Whole(value), Self::Whole(unit)) => value % unit == 0,
            (value, unit) => {
                // `0.3` is meant as a multiple of `0.1`, though not one of the nearest binary fraction.
                let quotient = value.float() / unit.float();
                (quotient - quotient.round()).abs() <= 1e-9 * quotient.abs().max(1.0)
            }
        }
    }
}

/// Whether `value` is of the type, or one of the types, that `kind` names.
fn has_type(value: &Value, kind: &Value) -> bool {
    match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| has_type(value, kind)),
        Value::String(kind) => match kind.as_str() {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => match Num::of(value) {
                Some(Num::Float(float)) => float.fract() == 0.0,
                number => number.is_some(),
            },
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            _ => true,
        },
        _ => true,
    }
}

fn asks_whole(kind: &Value) -> bool {
    kind == "integer" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "integer"))
}

/// Writes an integral float as the integer that it is, as far as integers reach.
fn make_whole(value: &mut Value) {
    if value.is_f64()
        && let Some(Num::Whole(whole)) = Num::of(value)
    {
        if let Ok(whole) = i64::try_from(whole) {
            *value = whole.into();
        } else if let Ok(whole) = u64::try_from(whole) {
            *value = whole.into();
        }
    }
}

fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => {
            Num::of(one).zip(Num::of(other)).is_some_and(|(one, other)| one.compare(other) == Some(Ordering::Equal))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| equal(value, other)))
        }
        (one, other) => one == other,
    }
}

/// One text for all values that are equal to JSON Schema.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Number(_) => {
            let _ = match Num::of(value) {
                Some(Num::Whole(whole)) => write!(text, "{whole}"),
                number => write!(text, "{number:?}"),
            };
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                canonical(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (name, member) in members {
                let _ = write!(text, "{}:", Value::from(name.as_str()));
                canonical(member, text);
                text.push(',');
            }
            text.push('}');
        }
        value => {
            let _ = write!(text, "{value}");
        }
    }
}

/// ``at least 2 items``, if `count` is not between the limits.
fn out_of([least, most]: [Option<usize>; 2], count: usize, noun: &str) -> Option<String> {
    let many = |count: usize| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let too_few = least.filter(|least| count < *least);
    let too_many = most.filter(|most| count > *most);
    if too_few.or(too_many).is_some() && least == most {
        return least.map(many);
    }
    match (too_few, too_many) {
        (Some(least), _) => Some(format!("at least {}", many(least))),
        (None, Some(most)) => Some(format!("at most {}", many(most))),
        (None, None) => None,
    }
}

fn limit(schema: &Map<String, Value>, key: &str) -> Option<usize> {
    let limit = schema.get(key)?;
    let limit = limit.as_u64().or_else(|| limit.as_f64().filter(|limit| *limit >= 0.0).map(|limit| limit as u64))?;
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}

fn list<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum(),
        Value::String(text) => text.len() / 64,
        _ => 0,
    }
}

/// How many steps it takes to look at `value` without what is inside of it.
fn cost(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.len() / 16,
        Value::Object(members) => members.len() / 16,
        Value::String(text) => text.len() / 64,
        _ => 0,
    }
}

fn collect_patterns(schema: &Value, patterns: &mut BTreeMap<String, Regex>) {
    let Some(object) = schema.as_object() else { return };
    let named = find(object, "patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    for pattern in find(object, "pattern").and_then(Value::as_str).into_iter().chain(named.map(String::as_str)) {
        if let Ok(regex) = Regex::new(pattern) {
            patterns.insert(pattern.to_owned(), regex);
        }
    }
    look_at_each_subschema(object, &mut |subschema| collect_patterns(subschema, patterns));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The faults of `value`, one a line.
    #[track_caller]
    fn check(schema: Value, value: Value, faults: &str) {
        assert_eq!(run(schema, value).0, faults);
    }

    fn run(schema: Value, mut value: Value) -> (String, Value) {
        let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
        let definitions = Definitions::new(definitions, [&schema]);
        let mut faults = Vec::new();
        validate(&schema, &definitions, &mut value, "p", &mut faults);
        (faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n"), value)
    }

    #[test]
    fn faults_name_the_place_what_belongs_there_and_what_came() {
        let strings = json!({ "type": "array", "items": { "type": "string" } });
        check(
            strings.clone(),
            json!(["a", 7, null]),
            "p[1]: expected a string, got the number 7\np[2]: expected a string, got null",
        );
        check(strings, json!("[]"), "p: expected an array of strings, got the string \"[]\"");
        let nested = json!({ "type": "object", "properties": { "near": { "type": "object", "additionalProperties": { "type": "boolean" } } } });
        check(nested.clone(), json!({ "near": { "x": 1 } }), "p.near.x: expected true or false, got the number 1");
        check(
            nested,
            json!({ "near": { "a \"b\"": [] } }),
            "p.near[\"a \\\"b\\\"\"]: expected true or false, got an array",
        );
    }

    #[test]
    fn long_values_are_clipped_between_characters() {
        check(
            json!({ "type": "integer" }),
            json!("ß".repeat(100)),
            &format!("p: expected an integer, got the string \"{}…\"", "ß".repeat(60)),
        );
    }

    #[test]
    fn an_integral_float_becomes_an_integer_where_one_is_asked_for() {
        let schema = json!({ "type": "array", "prefixItems": [{ "type": "integer" }, { "type": "number" }, {}], "items": { "enum": [1] } });
        assert_eq!(run(schema, json!([3.0, 3.0, 3.0, 1.0])), (String::new(), json!([3, 3.0, 3.0, 1])));
        assert_eq!(run(json!({ "type": "integer" }), json!(-0.0)).1.to_string(), "0");
        assert_eq!(run(json!({ "type": "integer" }), json!(1e19)).1, json!(10_000_000_000_000_000_000_u64));
        assert_eq!(run(json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] }), json!(2.0)).1, json!(2));
        check(json!({ "type": "integer" }), json!(3.5), "p: expected an integer, got the number 3.5");
    }

    #[test]
    fn bounds_are_named() {
        let schema = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
        check(schema.clone(), json!(300), "p: expected at most 255, got 300");
        check(schema, json!(-1), "p: expected at least 0, got -1");
        let schema = json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.1 });
        check(schema.clone(), json!(0), "p: expected more than 0, got 0");
        check(
            schema.clone(),
            json!(1.25),
            "p: expected less than 1, got 1.25\np: expected a multiple of 0.1, got 1.25",
        );
        check(schema, json!(0.3), "");
        check(json!({ "minLength": 2, "maxLength": 2 }), json!("ßß"), "");
        check(json!({ "minLength": 2 }), json!("ß"), "p: expected at least 2 characters, got 1 in the string \"ß\"");
        check(json!({ "minItems": 1 }), json!([]), "p: expected at least 1 item, got 0");
        check(json!({ "minItems": 2, "maxItems": 2 }), json!([1]), "p: expected 2 items, got 1");
        check(json!({ "maxProperties": 1 }), json!({ "a": 1, "b": 1 }), "p: expected at most 1 member, got 2");
    }

    #[test]
    fn a_choice_that_is_near_is_suggested() {
        let schema = json!({ "type": "string", "enum": ["append", "prepend-to"] });
        check(
            schema.clone(),
            json!("apend"),
            "p: expected one of \"append\", \"prepend-to\", got the string \"apend\"; did you mean \"append\"?",
        );
        check(schema.clone(), json!("x"), "p: expected one of \"append\", \"prepend-to\", got the string \"x\"");
        check(schema, json!(1), "p: expected one of \"append\", \"prepend-to\", got the number 1");
    }

    #[test]
    fn members_that_are_missing_or_unknown_are_named() {
        let schema = json!({
            "type": "object",
            "properties": { "x": { "type": "number" }, "label": { "type": "string" } },
            "required": ["x"],
            "additionalProperties": false
        });
        check(
            schema.clone(),
            json!({ "lable": "a" }),
            "p.x: missing, expected a number\np.lable: unknown member; did you mean `label`? the members are `x`, `label`",
        );
        check(
            schema,
            json!({ "x": 1, "label": null }),
            "p.label: expected a string, got null; leave it out when there is none",
        );
        let schema = json!({ "properties": { "z": { "type": "string" }, "a": { "type": "string" } } });
        check(
            schema,
            json!({ "b": 1, "a": 1, "z": 1 }),
            "p.z: expected a string, got the number 1\np.a: expected a string, got the number 1",
        );
        check(
            json!({ "patternProperties": { r"^\d+$": { "type": "string" } }, "additionalProperties": false }),
            json!({ "1": 2, "a": "" }),
            "p.1: expected a string, got the number 2\np.a: unknown member; names have to match the pattern `^\\d+$`",
        );
        check(
            json!({ "dependentRequired": { "a": ["b"] }, "propertyNames": { "maxLength": 1 } }),
            json!({ "a": 1, "cc": 1 }),
            "p.b: missing, needed together with `a`\np.cc: not allowed as a name: expected at most 1 character, got 2 in the string \"cc\"",
        );
    }

    #[test]
    fn a_tag_says_which_form_was_meant() {
        let form = |kind: &str, member: &str| {
            json!({
                "type": "object",
                "properties": { "kind": { "type": "string", "enum": [kind] }, member: { "type": "integer" } },
                "required": ["kind", member]
            })
        };
        let schema = json!({ "oneOf": [form("circle", "radius"), form("square", "side")] });
        check(
            schema.clone(),
            json!({ "kind": "square", "side": "1" }),
            "p.side: expected an integer, got the string \"1\"",
        );
        check(
            schema.clone(),
            json!({ "kind": "squre" }),
            "p.kind: expected one of \"circle\", \"square\", got the string \"squre\"; did you mean \"square\"?",
        );
        check(schema.clone(), json!({}), "p.kind: missing, expected one of \"circle\", \"square\"");
        check(
            schema,
            json!([]),
            "p: expected an object with `kind`, `radius` or an object with `kind`, `side`, got an array",
        );
    }

    #[test]
    fn the_form_of_the_right_type_is_the_one_that_was_meant() {
        let schema = json!({ "anyOf": [
            { "type": "array", "items": { "type": "integer" } },
            { "type": "object", "properties": { "a": { "type": "integer" } }, "required": ["a"] },
            { "type": "object", "properties": { "b": { "type": "integer" } }, "required": ["b"] },
            { "type": "null" }
        ] });
        check(schema.clone(), json!([1, "2"]), "p[1]: expected an integer, got the string \"2\"");
        check(schema.clone(), json!({ "b": "2" }), "p.b: expected an integer, got the string \"2\"");
        check(
            schema.clone(),
            json!({ "c": 1 }),
            "p: expected an array of integers or an object with `a` or an object with `b` or null, got an object with `c`",
        );
        check(
            schema,
            json!(1),
            "p: expected an array of integers or an object with `a` or an object with `b` or null, got the number 1",
        );
        check(
            json!({ "oneOf": [{ "type": "integer" }, { "minimum": 2 }] }),
            json!(3),
            "p: fits more than one of the allowed forms, expected just one",
        );
    }

    #[test]
    fn references_are_followed_and_loops_end() {
        let schema = json!({
            "$ref": "#/$defs/Tree",
            "$defs": {
                "Tree": { "type": "object", "properties": { "kids": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } }, "required": ["kids"] },
                "Loop": { "$ref": "#/$defs/Loop" },
                "Wide": { "allOf": [{ "$ref": "#/$defs/Wide" }, { "$ref": "#/$defs/Wide" }] }
            }
        });
        check(
            schema.clone(),
            json!({ "kids": [{ "kids": [{}] }] }),
            "p.kids[0].kids[0].kids: missing, expected an array of objects",
        );
        let with = |reference: &str| {
            let mut schema = schema.clone();
            schema["$ref"] = reference.into();
            schema
        };
        check(with("#/$defs/Loop"), json!(1), "p: too many ways to read this value; send a simpler one");
        check(with("#/$defs/Nowhere"), json!(1), "");
        check(with("#/$defs/Wide"), json!(1), "p: too many ways to read this value; send a simpler one");
    }

    #[test]
    fn items_that_are_the_same_are_named() {
        check(
            json!({ "uniqueItems": true }),
            json!([1, { "a": 1 }, { "a": 1.0 }, "1"]),
            "p[2]: the same as item 1; all items have to differ",
        );
        check(
            json!({ "contains": { "type": "string" } }),
            json!([1]),
            "p: expected at least 1 item to be a string, got 0",
        );
    }

    #[test]
    fn a_condition_chooses_what_holds() {
        let schema =
            json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] }, "else": { "maxProperties": 0 } });
        check(schema.clone(), json!({ "a": 1 }), "p.b: missing");
        check(schema.clone(), json!({ "c": 1 }), "p: expected at most 0 members, got 1");
        check(schema, json!({}), "");
        check(json!({ "not": { "const": 0 } }), json!(0.0), "p: 0 is not allowed");
    }

    #[test]
    fn members_of_flattened_structs_are_known() {
        let schema = json!({
            "properties": { "a": {} },
            "oneOf": [{ "properties": { "b": {} }, "required": ["b"] }, { "properties": { "c": {} }, "required": ["c"] }],
            "unevaluatedProperties": false
        });
        check(schema.clone(), json!({ "a": 1, "b": 1 }), "");
        check(schema, json!({ "b": 1, "d": 1 }), "p.d: unknown member");
    }

    #[test]
    fn items_that_nothing_else_speaks_of_are_known() {
        let schema = json!({
            "prefixItems": [{ "type": "string" }],
            "anyOf": [{ "prefixItems": [{}, { "type": "integer" }] }, { "contains": { "const": "x" } }],
            "unevaluatedItems": false
        });
        check(schema.clone(), json!(["a", 1]), "");
        check(schema.clone(), json!(["a", "x"]), "");
        check(schema, json!(["a", 1, 2]), "p[2]: no item is expected here");
        check(
            json!({ "unevaluatedItems": { "type": "string" } }),
            json!(["a", 1]),
            "p[1]: expected a string, got the number 1",
        );
    }

    #[test]
    fn a_pattern_of_another_dialect_is_not_enforced() {
        check(json!({ "pattern": "^(?=a)" }), json!("b"), "");
        check(
            json!({ "pattern": "^a" }),
            json!("ba"),
            "p: expected a string that matches the pattern `^a`, got the string \"ba\"",
        );
    }

    #[test]
    fn the_number_of_faults_is_bounded() {
        let (faults, _) = run(json!({ "items": { "type": "string" } }), json!(vec![0; 10_000]));
        assert_eq!(faults.lines().count(), 101);
        assert_eq!(faults.lines().last(), Some("… and more of the kind"));
    }
}
