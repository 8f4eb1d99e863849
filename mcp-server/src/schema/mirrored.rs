//! The arguments that HTTP repeats in headers: properties with `x-mcp-header`.
//!
//! A host leaves out a tool whose schema says it wrongly, so what is wrong shows when the tool is registered.
//!
//! Specification: [`x-mcp-header`](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header).

use serde_json::{Map, Value};

use super::clean::{Kind, kind_of, take};
use super::words::{describe, listed, quoted};

/// The keyword that says under which name a property is repeated.
pub(crate) const MIRRORED: &str = "x-mcp-header";

/// One argument that is repeated in a header.
#[derive(Debug, PartialEq)]
pub(crate) struct MirroredParam {
    header: Box<str>,
    /// The properties that lead to it.
    path: Box<[Box<str>]>,
}

/// What the names of these headers begin with.
const PREFIX: &str = "Mcp-Param-";

impl MirroredParam {
    /// The name of the header: `Mcp-Param-Region`.
    #[cfg(any(feature = "client", feature = "http", test))]
    pub(crate) fn header(&self) -> &str {
        &self.header
    }

    /// The properties that lead to it from the arguments.
    #[cfg(any(feature = "client", feature = "http", test))]
    pub(crate) fn path(&self) -> &[Box<str>] {
        &self.path
    }
}

/// All arguments that a schema, as JSON text, has repeated.
///
/// # Errors
///
/// When it says so of something that can't be; the text has the JSON pointer of the place.
pub(crate) fn mirrored(schema: &str) -> Result<Vec<MirroredParam>, String> {
    let mut found = Vec::new();
    if memchr::memmem::find(schema.as_bytes(), MIRRORED.as_bytes()).is_some() {
        let schema: Value = serde_json::from_str(schema).map_err(|error| error.to_string())?;
        read(&schema, &mut Vec::new(), "", &mut found)?;
    }
    Ok(found)
}

/// The same schema as text without what says that arguments are repeated, for hosts that don't know it.
pub(crate) fn without_mirrored(schema: &str, mirrored: &[MirroredParam]) -> String {
    let mut schema: Value = serde_json::from_str(schema).expect("a schema is JSON");
    for param in mirrored {
        let property =
            param.path.iter().try_fold(&mut schema, |schema, name| schema.get_mut("properties")?.get_mut(&**name));
        if let Some(property) = property.and_then(Value::as_object_mut) {
            take(property, MIRRORED);
        }
    }
    schema.to_string()
}

/// Reads a schema that `properties` alone lead to: by the names of `path`, and by a JSON pointer.
fn read<'a>(
    schema: &'a Value,
    path: &mut Vec<&'a str>,
    pointer: &str,
    found: &mut Vec<MirroredParam>,
) -> Result<(), String> {
    let Some(object) = schema.as_object() else { return Ok(()) };
    for (key, value) in object {
        let here = below(pointer, key);
        match (key.as_str(), value) {
            (MIRRORED, name) => {
                let param = declared(name, object, path).map_err(|wrong| format!("`{here}`: {wrong}"))?;
                if let Some(other) = found.iter().find(|other| other.header.eq_ignore_ascii_case(&param.header)) {
                    return Err(format!(
                        "`{here}`: {} is the name for `{}` already, and names differ in more than capitals",
                        quoted(&other.header[PREFIX.len()..]),
                        other.path.join(".")
                    ));
                }
                found.push(param);
            }
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    path.push(name);
                    read(property, path, &below(&here, name), found)?;
                    path.pop();
                }
            }
            (key, value) => {
                if let Some(place) = elsewhere(key, value, &here) {
                    return Err(format!(
                        "`{place}`: only a property that `properties` alone lead to can be repeated in a header, \
                         and {} stands in the way here",
                        listed([key])
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Reads what a property says: `name` is the value of its `x-mcp-header`.
fn declared(name: &Value, property: &Map<String, Value>, path: &[&str]) -> Result<MirroredParam, String> {
    let Value::String(name) = name else {
        return Err(format!("expected the name of a header, got {}", describe(name)));
    };
    // RFC 9110, section 5.6.2: a token.
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!(
            "{} can't be in the name of a header: it is 1 or more characters of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~",
            quoted(name)
        ));
    }
    if path.is_empty() {
        return Err("the arguments as a whole can't be repeated in a header; put it on a property".to_owned());
    }
    let types = match property.get("type") {
        Some(Value::Array(types)) => types.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => return Err(format!("{ONLY_PLAIN}, and this property has no `type` of its own")),
    };
    // A value that may be `null` is repeated when it is not.
    match types.iter().filter(|name| *name != "null").collect::<Vec<_>>().as_slice() {
        [only] if ["string", "integer", "boolean"].iter().any(|plain| *only == plain) => {}
        _ => return Err(format!("{ONLY_PLAIN}, and this property has the type {}", property["type"])),
    }
    Ok(MirroredParam {
        header: format!("{PREFIX}{name}").into(),
        path: path.iter().map(|name| Box::from(*name)).collect(),
    })
}

const ONLY_PLAIN: &str = "only a string, an integer or a boolean can be repeated in a header";

/// Where the keyword stands in what is no way to an argument: `value` is that of the keyword `key`.
fn elsewhere(key: &str, value: &Value, pointer: &str) -> Option<String> {
    match (key, value) {
        (MIRRORED, _) => Some(pointer.to_owned()),
        // These hold values, not schemas.
        ("default" | "examples" | "example" | "enum" | "const", _) => None,
        (key, Value::Object(named)) if matches!(kind_of(key), Some(Kind::NamedSchemas)) => {
            named.iter().find_map(|(name, schema)| elsewhere_in(schema, &below(pointer, name)))
        }
        // A reference may lead into a keyword that nobody knows.
        (_, value) => elsewhere_in(value, pointer),
    }
}

fn elsewhere_in(value: &Value, pointer: &str) -> Option<String> {
    match value {
        Value::Object(object) => object.iter().find_map(|(key, value)| elsewhere(key, value, &below(pointer, key))),
        Value::Array(values) => {
            values.iter().enumerate().find_map(|(index, value)| elsewhere_in(value, &format!("{pointer}/{index}")))
        }
        _ => None,
    }
}

fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is found in a schema with these properties: the header and where its argument is.
    fn found(properties: Value) -> Result<Vec<(String, String)>, String> {
        of_schema(json!({ "type": "object", "properties": properties }))
    }

    fn of_schema(schema: Value) -> Result<Vec<(String, String)>, String> {
        let params = mirrored(&schema.to_string())?;
        Ok(params.iter().map(|param| (param.header().to_owned(), param.path().join("."))).collect())
    }

    #[track_caller]
    fn refused(properties: Value, fault: &str) {
        assert_eq!(found(properties).unwrap_err(), fault);
    }

    // rows: HDR-10, HDR-12, HDR-13
    #[test]
    fn plain_properties_at_any_depth_are_repeated() {
        let properties = json!({
            "region": { "type": "string", "x-mcp-header": "Region" },
            "count": { "x-mcp-header": "N", "type": "integer", "default": 1 },
            "a.b/c": { "type": ["boolean", "null"], "x-mcp-header": "!#$%&'*+-.^_`|~" },
            "place": { "type": "object", "properties": {
                "city": { "type": "string", "x-mcp-header": "City" },
                "x-mcp-header": { "type": "string" }
            } },
            "other": { "type": "string", "default": { "x-mcp-header": "a b" }, "enum": [{ "x-mcp-header": 1 }] }
        });
        let expected = [
            ("Mcp-Param-Region", "region"),
            ("Mcp-Param-N", "count"),
            ("Mcp-Param-!#$%&'*+-.^_`|~", "a.b/c"),
            ("Mcp-Param-City", "place.city"),
        ];
        let expected = expected.map(|(header, path)| (header.to_owned(), path.to_owned()));
        assert_eq!(found(properties).unwrap(), expected);
        assert_eq!(found(json!({ "x": { "type": "string" } })).unwrap(), []);
    }

    // rows: HDR-11
    #[test]
    fn a_name_that_no_header_can_have_is_refused() {
        for name in ["", "a b", "a:b", "é", "a\n", "\u{0}", "(a)", "a/b", "Mcp-Param-\"x\""] {
            let name = json!(name);
            refused(
                json!({ "r": { "type": "string", "x-mcp-header": name } }),
                &format!(
                    "`/properties/r/x-mcp-header`: {name} can't be in the name of a header: \
                     it is 1 or more characters of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~"
                ),
            );
        }
        refused(
            json!({ "r": { "type": "string", "x-mcp-header": true } }),
            "`/properties/r/x-mcp-header`: expected the name of a header, got true",
        );
    }

    // rows: HDR-11
    #[test]
    fn two_names_differ_in_more_than_capitals() {
        refused(
            json!({
                "place": { "type": "object", "properties": { "id": { "type": "string", "x-mcp-header": "Id" } } },
                "id": { "type": "string", "x-mcp-header": "ID" }
            }),
            "`/properties/id/x-mcp-header`: \"Id\" is the name for `place.id` already, \
             and names differ in more than capitals",
        );
    }

    // rows: HDR-12
    #[test]
    fn what_is_not_plain_is_not_repeated() {
        for kind in [json!("number"), json!("object"), json!("array"), json!("null"), json!(["string", "integer"])] {
            refused(
                json!({ "r": { "type": kind, "x-mcp-header": "R" } }),
                &format!(
                    "`/properties/r/x-mcp-header`: only a string, an integer or a boolean can be repeated in a header, \
                     and this property has the type {kind}"
                ),
            );
        }
        refused(
            json!({ "r": { "enum": ["a"], "x-mcp-header": "R" } }),
            "`/properties/r/x-mcp-header`: only a string, an integer or a boolean can be repeated in a header, \
             and this property has no `type` of its own",
        );
    }

    // rows: HDR-13
    #[test]
    fn only_properties_alone_lead_to_what_is_repeated() {
        let inner = json!({ "type": "string", "x-mcp-header": "R" });
        let object = json!({ "type": "object", "properties": { "r": inner } });
        for (key, value, place) in [
            ("items", inner.clone(), "items"),
            ("items", object.clone(), "items/properties/r"),
            ("prefixItems", json!([inner]), "prefixItems/0"),
            ("oneOf", json!([{}, object]), "oneOf/1/properties/r"),
            ("anyOf", json!([inner]), "anyOf/0"),
            ("allOf", json!([object]), "allOf/0/properties/r"),
            ("not", object.clone(), "not/properties/r"),
            ("if", object.clone(), "if/properties/r"),
            ("then", object.clone(), "then/properties/r"),
            ("else", object.clone(), "else/properties/r"),
            ("$defs", json!({ "default": inner }), "$defs/default"),
            ("definitions", json!({ "R": inner }), "definitions/R"),
            ("additionalProperties", inner.clone(), "additionalProperties"),
            ("patternProperties", json!({ "^r": inner }), "patternProperties/^r"),
            ("dependentSchemas", json!({ "a": object }), "dependentSchemas/a/properties/r"),
            ("contains", inner.clone(), "contains"),
            ("x-mine", json!({ "R": inner }), "x-mine/R"),
        ] {
            let fault = |pointer: &str| {
                format!(
                    "`{pointer}/{place}/x-mcp-header`: only a property that `properties` alone lead to can be repeated \
                     in a header, and `{key}` stands in the way here"
                )
            };
            let at_root = of_schema(json!({ "type": "object", key: value }));
            assert_eq!(at_root.unwrap_err(), fault(""));
            refused(json!({ "p": { key: value } }), &fault("/properties/p"));
        }
        let at_root = of_schema(json!({ "type": "object", "x-mcp-header": "R" })).unwrap_err();
        assert!(at_root.starts_with("`/x-mcp-header`: the arguments as a whole"), "{at_root}");
        let by_reference = found(json!({ "r": { "$ref": "#/$defs/R", "x-mcp-header": "R" } })).unwrap_err();
        assert!(by_reference.ends_with("has no `type` of its own"), "{by_reference}");
    }

    #[test]
    fn a_schema_without_it_is_otherwise_the_same() {
        let schema = r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A","default":"x"},"b":{"properties":{"c":{"x-mcp-header":"C","type":"integer"}}}}}"#;
        let without = without_mirrored(schema, &mirrored(schema).unwrap());
        assert_eq!(
            without,
            r#"{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"properties":{"c":{"type":"integer"}}}}}"#
        );
    }
}
