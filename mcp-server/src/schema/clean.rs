//! From the schemas that schemars writes to the form that every host accepts.
//!
//! Hosts differ in what they refuse: `type` lists, `nullable`, `const`, boolean schemas, number formats, titles. What is
//! left means the same and is refused by none of them.

use serde_json::{Map, Value, json};

use super::mirrored::MIRRORED;

/// What a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The client writes the value: what it may leave out need not be `null`.
    Input,
    /// The server writes the value, as `Serialize` does: `null` is a value like any other.
    Output,
}

/// Brings `schema`, and all schemas in it, into the form for hosts.
pub(super) fn clean(schema: &mut Value, form: Form) {
    let object = match schema {
        Value::Bool(true) => return *schema = json!({}),
        Value::Bool(false) => return *schema = json!({ "not": {} }),
        Value::Object(object) => object,
        _ => return,
    };
    object.retain(|key, _| !matches!(key.as_str(), "$schema" | "title" | "nullable"));
    // What was made from a `HashMap` has its members in another order each time.
    for key in ["default", "examples"] {
        find_mut(object, key).into_iter().for_each(Value::sort_all_objects);
    }
    bounds_for_format(object);
    forms_for_types(object);
    fold_choices(object);
    if let Some(value) = take(object, "const") {
        object.insert("enum".to_owned(), Value::Array(vec![value]));
    }
    if form == Form::Input {
        let required = find(object, "required").cloned();
        if let Some(Value::Object(properties)) = find_mut(object, "properties") {
            properties
                .iter_mut()
                .filter(|(name, _)| !is_required(required.as_ref(), name))
                .for_each(|(_, schema)| remove_null(schema));
        }
    }
    // These stay `false` where they are: "nothing else" is what every host reads there.
    let closed: Vec<&str> = ["additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems"]
        .into_iter()
        .filter(|key| find(object, key) == Some(&Value::Bool(false)))
        .collect();
    each_subschema(object, &mut |schema| clean(schema, form));
    for key in closed {
        object.insert(key.to_owned(), Value::Bool(false));
    }
    put_first_what_is_read_first(object);
}

/// Whether a property is among those that must be there, which `required` lists.
pub(super) fn is_required(required: Option<&Value>, name: &str) -> bool {
    required.and_then(Value::as_array).is_some_and(|names| names.iter().any(|other| other == name))
}

/// The type and what is said about it come first, the rest as it stands.
fn put_first_what_is_read_first(object: &mut Map<String, Value>) {
    let place = |key: &str| object.keys().position(|name| name == key);
    let (kind, description) = (place("type"), place("description"));
    if kind.is_none_or(|at| at == 0) && description.is_none_or(|at| at == usize::from(kind.is_some())) {
        return;
    }
    let mut rest = std::mem::take(object);
    for key in ["type", "description"] {
        if let Some(value) = find_mut(&mut rest, key).map(Value::take) {
            object.insert(key.to_owned(), value);
        }
    }
    for (key, value) in rest {
        object.entry(key).or_insert(value);
    }
}

/// Objects with more members than this are asked by the hash of a name: in smaller ones it costs less to look at all.
const FEW: usize = 8;

/// The member of that name.
pub(super) fn find<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    match object.len() {
        0..=FEW => object.iter().find(|(name, _)| *name == key).map(|(_, value)| value),
        _ => object.get(key),
    }
}

/// The same, to be changed.
pub(super) fn find_mut<'a>(object: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Value> {
    match object.len() {
        0..=FEW => object.iter_mut().find(|(name, _)| *name == key).map(|(_, value)| value),
        _ => object.get_mut(key),
    }
}

/// Takes a member out, and leaves the others in their order.
pub(super) fn take(object: &mut Map<String, Value>, key: &str) -> Option<Value> {
    let value = find_mut(object, key).map(Value::take)?;
    object.retain(|other, _| other != key);
    Some(value)
}

/// Takes `null` out of what `schema` allows, unless nothing else would be left.
pub(super) fn remove_null(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = find_mut(object, "type")
        && types.iter().any(|name| name != "null")
    {
        types.retain(|name| name != "null");
    }
    if let Some(Value::Array(values)) = find_mut(object, "enum")
        && values.iter().any(|value| !value.is_null())
    {
        values.retain(|value| !value.is_null());
    }
    if find(object, "default") == Some(&Value::Null) && find(object, "type").is_none_or(|name| name != "null") {
        take(object, "default");
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(forms)) = find_mut(object, key)
            && !forms.iter().all(is_null)
        {
            forms.retain(|form| !is_null(form));
            forms.iter_mut().for_each(remove_null);
            only_form(object, key);
        }
    }
}

/// Calls `visit` for every schema directly inside `object`: never for a default, an example or a property's name.
pub(super) fn each_subschema(object: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    for (key, value) in object {
        match (kind_of(key), value) {
            (Some(Kind::Schema), schema) => visit(schema),
            (Some(Kind::Schemas), Value::Array(schemas)) => schemas.iter_mut().for_each(&mut *visit),
            (Some(Kind::NamedSchemas), Value::Object(schemas)) => schemas.values_mut().for_each(&mut *visit),
            _ => {}
        }
    }
}

/// The same without changing any.
pub(super) fn look_at_each_subschema(object: &Map<String, Value>, visit: &mut dyn FnMut(&Value)) {
    for (key, value) in object {
        match (kind_of(key), value) {
            (Some(Kind::Schema), schema) => visit(schema),
            (Some(Kind::Schemas), Value::Array(schemas)) => schemas.iter().for_each(&mut *visit),
            (Some(Kind::NamedSchemas), Value::Object(schemas)) => schemas.values().for_each(&mut *visit),
            _ => {}
        }
    }
}

/// What schemas a keyword holds.
pub(super) enum Kind {
    Schema,
    /// Of what a text holds, which is only said of it.
    ContentSchema,
    Schemas,
    NamedSchemas,
}

pub(super) fn kind_of(keyword: &str) -> Option<Kind> {
    Some(match keyword {
        "items"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "propertyNames" => Kind::Schema,
        "contentSchema" => Kind::ContentSchema,
        "prefixItems" | "anyOf" | "oneOf" | "allOf" => Kind::Schemas,
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => Kind::NamedSchemas,
        _ => return None,
    })
}

/// Says about a value, and allows or forbids nothing.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "title"
            | "format"
            | "$comment"
            | "contentEncoding"
            | "contentMediaType"
            | MIRRORED
    )
}

fn is_null(schema: &Value) -> bool {
    let only = |key: &str, null: Value| schema.get(key).is_some_and(|value| *value == null || *value == json!([null]));
    only("type", "null".into()) || only("enum", Value::Null) || schema.get("const") == Some(&Value::Null)
}

/// Writes the one form that is left in the place of the list, unless the two contradict each other.
fn only_form(object: &mut Map<String, Value>, key: &str) {
    let Some(Value::Array(forms)) = find(object, key) else { return };
    let [Value::Object(form)] = forms.as_slice() else { return };
    let clash =
        form.iter().any(|(key, value)| !is_annotation(key) && find(object, key).is_some_and(|other| other != value));
    if clash {
        return;
    }
    let form = form.clone();
    for (name, value) in std::mem::take(object) {
        if name == key {
            form.iter().for_each(|(key, value)| _ = object.entry(key).or_insert_with(|| value.clone()));
        } else {
            object.insert(name, value);
        }
    }
}

/// A format such as `uint8` is no format of JSON Schema: what it says about the range is said in numbers. The bounds of
/// 64 bits are more than a JavaScript host can write down, so only `minimum: 0` stands for them.
fn bounds_for_format(object: &mut Map<String, Value>) {
    let Some(Value::String(format)) = find(object, "format") else { return };
    let (least, most) = match format.as_str() {
        "int8" => (Some(i64::from(i8::MIN)), Some(i64::from(i8::MAX))),
        "int16" => (Some(i64::from(i16::MIN)), Some(i64::from(i16::MAX))),
        "int32" => (Some(i64::from(i32::MIN)), Some(i64::from(i32::MAX))),
        "uint8" => (Some(0), Some(i64::from(u8::MAX))),
        "uint16" => (Some(0), Some(i64::from(u16::MAX))),
        "uint32" => (Some(0), Some(i64::from(u32::MAX))),
        "uint" | "uint64" | "uint128" => (Some(0), None),
        "int" | "int64" | "int128" | "float" | "double" => (None, None),
        _ => return,
    };
    take(object, "format");
    let is_integer = match find(object, "type") {
        Some(Value::Array(types)) => types.iter().any(|name| name == "integer"),
        Some(name) => name == "integer",
        None => false,
    };
    for (key, exclusive, bound) in [("minimum", "exclusiveMinimum", least), ("maximum", "exclusiveMaximum", most)] {
        if let Some(bound) = bound.filter(|_| is_integer && !object.contains_key(exclusive)) {
            object.entry(key).or_insert(bound.into());
        }
    }
}

/// `"type": ["string", "null"]` becomes `anyOf` with one type each.
fn forms_for_types(object: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = find(object, "type") else { return };
    let mut types = types.clone();
    types.dedup();
    if let [only] = types.as_slice() {
        let only = only.clone();
        object.insert("type".to_owned(), only);
        return;
    }
    let mut rest = std::mem::take(object);
    take(&mut rest, "type");
    // What is said about the value stays outside; what is checked goes into each form.
    let (outside, inside): (Map<_, _>, Map<_, _>) =
        rest.into_iter().partition(|(key, _)| (is_annotation(key) && key != "format") || key == "$defs");
    *object = outside;
    let mut forms = Vec::new();
    for name in types {
        let mut form = if name == "null" { Map::new() } else { inside.clone() };
        if let Some(Value::Array(values)) = find(&inside, "enum") {
            let values: Vec<Value> = values.iter().filter(|value| has_type(value, &name)).cloned().collect();
            if values.is_empty() {
                continue;
            }
            if name != "null" {
                form.insert("enum".to_owned(), values.into());
            }
        }
        form.insert("type".to_owned(), name);
        forms.push(Value::Object(form));
    }
    object.insert("anyOf".to_owned(), forms.into());
    only_form(object, "anyOf");
}

fn has_type(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer" | "number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => false,
    }
}

/// One `enum` instead of a list of `const`s, with the texts of the choices in the description.
fn fold_choices(object: &mut Map<String, Value>) {
    for key in ["oneOf", "anyOf"] {
        let Some(Value::Array(forms)) = find_mut(object, key) else { continue };
        let is_choice: Vec<bool> = forms.iter().map(|form| choices(form).is_some()).collect();
        let worthwhile = is_choice.iter().filter(|is_choice| **is_choice).count() > 1
            || forms.iter().any(|form| form.get("const").is_some() && choices(form).is_some());
        if !worthwhile {
            continue;
        }
        let mut values: Vec<Value> = Vec::new();
        let mut texts = Vec::new();
        let mut place = None;
        let mut others = Vec::new();
        for (form, is_choice) in std::mem::take(forms).into_iter().zip(is_choice) {
            if !is_choice {
                others.push(form);
                continue;
            }
            place.get_or_insert(others.len());
            let own = choices(&form).unwrap_or_default();
            if let Some(text) = choice_text(&own, &form) {
                texts.push(text);
            }
            for value in own {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        let mut choice = Map::new();
        choice.insert("type".to_owned(), "string".into());
        choice.insert("enum".to_owned(), values.into());
        let alone = others.is_empty();
        if !texts.is_empty() {
            let own = find(object, "description").and_then(Value::as_str).filter(|_| alone);
            let text: Vec<&str> = own.into_iter().chain(texts.iter().map(String::as_str)).collect();
            let text = text.join("\n");
            let described = if alone { &mut *object } else { &mut choice };
            described.insert("description".to_owned(), text.into());
        }
        others.insert(place.unwrap_or(0), Value::Object(choice));
        object.insert(key.to_owned(), others.into());
        only_form(object, key);
    }
}

/// The strings that `form` allows, if it is nothing but a choice of strings.
fn choices(form: &Value) -> Option<Vec<Value>> {
    let form = form.as_object()?;
    let plain =
        |key: &String| matches!(key.as_str(), "type" | "const" | "enum" | "description" | "title" | "deprecated");
    if !form.keys().all(plain) || find(form, "type").is_some_and(|name| name != "string") {
        return None;
    }
    let values = match (find(form, "const"), find(form, "enum")) {
        (Some(value), None) => vec![value.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => return None,
    };
    values.iter().all(Value::is_string).then_some(values)
}

fn choice_text(values: &[Value], form: &Value) -> Option<String> {
    let description = form.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut words: Vec<&str> = description.split_whitespace().collect();
    if form.get("deprecated") == Some(&Value::Bool(true)) {
        words.push("(deprecated)");
    }
    let names: Vec<String> = values.iter().filter_map(Value::as_str).map(|value| format!("`{value}`")).collect();
    (!words.is_empty()).then(|| format!("- {}: {}", names.join(", "), words.join(" ")))
}
