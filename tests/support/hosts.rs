//! What hosts that are in use refuse in a list of tools, whatever the specification allows.

use serde_json::Value;

/// Calls `visit` for each schema in a document, with its path.
pub fn each_schema(schema: &Value, path: &str, visit: &mut dyn FnMut(&Value, &str)) {
    visit(schema, path);
    let Some(object) = schema.as_object() else { return };
    for (key, value) in object {
        match (key.as_str(), value) {
            (
                "items"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else"
                | "propertyNames",
                schema,
            ) => each_schema(schema, &format!("{path}/{key}"), visit),
            ("prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(schemas)) => {
                for (at, schema) in schemas.iter().enumerate() {
                    each_schema(schema, &format!("{path}/{key}/{at}"), visit);
                }
            }
            ("properties" | "patternProperties" | "$defs", Value::Object(schemas)) => {
                for (name, schema) in schemas {
                    each_schema(schema, &format!("{path}/{key}/{name}"), visit);
                }
            }
            _ => {}
        }
    }
}

/// Checks one tool as `tools/list` shows it to a client of that version.
#[track_caller]
pub fn check_tool(tool: &Value, version: &str) {
    let name = tool["name"].as_str().expect("a tool has a name");
    check_name(name);
    let description = tool["description"].as_str().unwrap_or_default();
    assert!(!description.trim().is_empty(), "{name}: a model chooses by the description");
    let input = &tool["inputSchema"];
    assert_eq!(input["type"], "object", "{name}: {input}");
    assert!(input["properties"].is_object(), "{name}: some hosts need `properties`, even without any: {input}");
    for key in ["oneOf", "anyOf", "allOf", "$ref", "not", "enum"] {
        assert!(input.get(key).is_none(), "{name} has {key} at the root of its input schema");
    }
    for property in input["properties"].as_object().into_iter().flat_map(|properties| properties.keys()) {
        check_name(property);
    }
    check_schema(input, &format!("{name}:input"));
    match tool.get("outputSchema") {
        Some(_) if version < "2025-06-18" => panic!("{name}: there is no output schema in {version}"),
        Some(output) => {
            if version < "2026-07-28" {
                assert_eq!(output["type"], "object", "{name}: {version} knows no other results than objects");
            }
            check_schema(output, &format!("{name}:output"));
        }
        None => {}
    }
}

/// 1 to 64 of `A-Z a-z 0-9 _ -`: hosts refuse what the specification allows beyond that.
#[track_caller]
pub fn check_name(name: &str) {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    assert!((1..=64).contains(&name.len()) && name.chars().all(good), "hosts refuse the name `{name}`");
}

#[track_caller]
fn check_schema(document: &Value, place: &str) {
    each_schema(document, place, &mut |schema, path| {
        let Some(object) = schema.as_object() else {
            let closed = ["additionalProperties", "items", "unevaluatedProperties"];
            let fine = *schema == false && closed.iter().any(|key| path.ends_with(key));
            return assert!(fine, "{path} is {schema}");
        };
        assert!(!object.get("type").is_some_and(Value::is_array), "{path} has many types");
        assert!(!object.contains_key("nullable") && !object.contains_key("definitions"), "{path}: {schema}");
        if let Some(values) = object.get("enum") {
            assert!(values.as_array().is_some_and(|values| !values.is_empty()), "{path} has an empty enum");
            assert!(object.contains_key("type"), "{path} has an enum without a type");
        }
        if let Some(reference) = object.get("$ref") {
            let pointer = reference.as_str().and_then(|text| text.strip_prefix('#')).expect("a reference stays inside");
            assert!(document.pointer(pointer).is_some_and(Value::is_object), "{path}: {reference}");
        }
        for name in object.get("required").and_then(Value::as_array).into_iter().flatten() {
            let known = object.get("properties").is_some_and(|known| known.get(name.as_str().unwrap()).is_some());
            assert!(known, "{path} requires {name}, which is no property");
        }
    });
}
