//! JSON Schema: made from the author's types, written in the form that hosts accept, and held against what comes in.
//!
//! The schema and the decoder are one rule: what the schema forbids is refused, what it allows works.

mod clean;
pub(crate) mod form;
mod generate;
mod given;
mod mirrored;
mod shape;
mod validate;
mod words;

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use self::shape::Shape;
pub(crate) use self::{
    generate::Generator,
    given::GivenSchema,
    mirrored::{MirroredParam, mirrored, without_mirrored},
    validate::{Definitions, Fault, is_plain, suggest_leaving_out, validate},
    words::{describe, expected, unknown},
};

/// The schema of a tool's result: the root may be of any type, and what it refers to is in `$defs`.
pub(crate) fn output_schema<T: JsonSchema>() -> Value {
    let mut generator = Generator::for_output();
    let mut schema = generator.subschema::<T>();
    let definitions = generator.definitions();
    if let Some(schema) = schema.as_object_mut()
        && !definitions.is_empty()
    {
        schema.insert("$defs".to_owned(), definitions.into());
    }
    schema
}

/// The schema of arguments that one struct is read from: its fields are the arguments.
///
/// # Errors
///
/// When it is the schema of something else.
pub(crate) fn arguments_schema<T: JsonSchema>() -> Result<GivenSchema, String> {
    let mut generator = Generator::for_input();
    let schema = generator.subschema::<T>();
    arguments_document(schema, generator.definitions(), &T::schema_name())
}

fn arguments_document(schema: Value, definitions: Map<String, Value>, name: &str) -> Result<GivenSchema, String> {
    let no_struct =
        || format!("takes `{name}`, which can't be the arguments: they are a struct, with a field for each");
    let Value::Object(mut root) = schema else { return Err(no_struct()) };
    // A type that contains itself is referred to; hosts want to see the arguments at the root.
    if let Some(target) = root.get("$ref").and_then(Value::as_str).and_then(generate::definition_name) {
        clean::take(&mut root, "$ref");
        let target = definitions.get(&target).and_then(Value::as_object).cloned().unwrap_or_default();
        for (key, value) in target {
            root.entry(key).or_insert(value);
        }
    }
    let is_struct = root.get("type").is_some_and(|kind| kind == "object");
    if !is_struct || ["oneOf", "anyOf", "allOf"].iter().any(|key| root.contains_key(*key)) {
        return Err(no_struct());
    }
    // Some hosts want to see properties, even where there are none.
    root.entry("properties").or_insert_with(|| Map::new().into());
    if !root.contains_key("additionalProperties") && !root.contains_key("patternProperties") {
        root.insert("additionalProperties".to_owned(), false.into());
    }
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), definitions.into());
    }
    GivenSchema::input(root.into())
}

/// What is wrong with a result, a line each; nothing when it keeps the schema that [`output_schema`] has made.
pub(crate) fn faults_of_output(schema: &str, value: &str) -> String {
    let (Ok(schema), Ok(mut value)) = (serde_json::from_str::<Value>(schema), serde_json::from_str(value)) else {
        return String::new();
    };
    let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let definitions = Definitions::new(definitions, [&schema]);
    let mut faults = Vec::new();
    validate(&schema, &definitions, &mut value, "result", &mut faults);
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}

/// The schema of a tool's arguments: an object with one property a parameter.
#[derive(Debug)]
pub(crate) struct InputSchema {
    text: Box<str>,
    properties: Box<[Property]>,
    definitions: Definitions,
}

/// One parameter of a tool.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Box<str>,
    pub(crate) schema: Value,
    pub(crate) required: bool,
    shape: Option<Shape>,
}

impl InputSchema {
    /// A schema without properties so far.
    pub(crate) fn builder() -> InputSchemaBuilder {
        InputSchemaBuilder { generator: Generator::for_input(), properties: Vec::new() }
    }

    /// The JSON text, the same in every run: properties stand in the order in which they were declared.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The parameters, in the order in which they were declared.
    pub(crate) fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// What the schemas of the properties refer to.
    pub(crate) fn definitions(&self) -> &Definitions {
        &self.definitions
    }
}

impl Property {
    /// Whether the JSON text `value` certainly keeps the schema, seen without building a tree of it. `false` says nothing:
    /// [`validate`] has to look.
    pub(crate) fn admits(&self, value: &str) -> bool {
        self.shape.as_ref().is_some_and(|shape| shape.admits(value))
    }
}

/// Collects the properties of an [`InputSchema`].
pub(crate) struct InputSchemaBuilder {
    generator: Generator,
    properties: Vec<Property>,
}

impl InputSchemaBuilder {
    /// Adds a property, and says where it stands. A `description` that isn't empty stands in the place of the type's own;
    /// `default` is JSON text.
    ///
    /// # Errors
    ///
    /// If there is a property of this name already.
    pub(crate) fn property<T: JsonSchema>(
        &mut self,
        name: &str,
        description: &str,
        optional: bool,
        default: Option<&str>,
    ) -> Result<usize, String> {
        let schema = self.generator.parameter::<T>(description, optional);
        self.push(name, schema, optional, default)
    }

    fn push(&mut self, name: &str, mut schema: Value, optional: bool, default: Option<&str>) -> Result<usize, String> {
        if self.properties.iter().any(|other| *other.name == *name) {
            return Err(format!("has two parameters named `{name}`"));
        }
        if let Some(default) = default.and_then(|text| serde_json::from_str(text).ok())
            && let Some(schema) = schema.as_object_mut()
        {
            schema.insert("default".to_owned(), default);
        }
        self.properties.push(Property { name: name.into(), shape: Shape::of(&schema), schema, required: !optional });
        Ok(self.properties.len() - 1)
    }

    /// Adds the fields of a struct, a property each, and says where they stand.
    ///
    /// # Errors
    ///
    /// When it is the schema of something else, or there is a property of one of their names already.
    pub(crate) fn fields<T: JsonSchema>(&mut self) -> Result<Range<usize>, String> {
        let Value::Object(mut root) = self.generator.fields::<T>() else { return Err(no_fields(&T::schema_name())) };
        let is_struct = root.get("type").is_some_and(|kind| kind == "object");
        let is_known = |(key, value): (&String, &Value)| match key.as_str() {
            "type" | "properties" | "required" => true,
            "additionalProperties" => *value == Value::Bool(false),
            key => clean::is_annotation(key),
        };
        if !is_struct || !root.iter().all(is_known) {
            return Err(no_fields(&T::schema_name()));
        }
        let required = root.get("required").cloned();
        let first = self.properties.len();
        if let Some(Value::Object(properties)) = root.get_mut("properties") {
            for (name, schema) in std::mem::take(properties) {
                self.push(&name, schema, !clean::is_required(required.as_ref(), &name), None)?;
            }
        }
        Ok(first..self.properties.len())
    }

    /// Adds a keyword that says what a property may be.
    ///
    /// # Errors
    ///
    /// When it is no good for this property.
    pub(crate) fn limit(&mut self, index: usize, keyword: &str, value: Value) -> Result<(), String> {
        let Some(property) = self.properties.get_mut(index) else {
            return Err(format!("has the limit `{keyword}` for a parameter that is not its own"));
        };
        limit(&mut property.schema, keyword, value)
            .map_err(|fault| format!("has a parameter `{}` with `{keyword}`: {fault}", property.name))?;
        property.shape = Shape::of(&property.schema);
        Ok(())
    }

    /// Says of a property under which name it is repeated in a header. `false`: it has one already, or is not there.
    pub(crate) fn mirror(&mut self, index: usize, name: &str) -> bool {
        let property = self.properties.get_mut(index).and_then(|property| property.schema.as_object_mut());
        property.is_some_and(|schema| schema.insert(mirrored::MIRRORED.to_owned(), name.into()).is_none())
    }

    /// Writes the schema down.
    pub(crate) fn finish(self) -> InputSchema {
        let definitions = self.generator.definitions();
        let text = text(&self.properties, &definitions);
        let definitions = Definitions::new(definitions, self.properties.iter().map(|property| &property.schema));
        InputSchema { text, properties: self.properties.into(), definitions }
    }
}

fn no_fields(name: &str) -> String {
    format!("flattens `{name}`, which is no struct with a fixed set of fields: take it as a parameter of its own")
}

/// Adds a keyword to the schema of a value, in the place of a weaker one.
fn limit(schema: &mut Value, keyword: &str, value: Value) -> Result<(), String> {
    let types: &[&str] = match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => &["integer", "number"],
        "minLength" | "maxLength" | "pattern" => &["string"],
        "minItems" | "maxItems" | "uniqueItems" => &["array"],
        _ => return Err("this is no limit".to_owned()),
    };
    given::check_keyword(keyword, &value)?;
    let whole = expected(schema, &Definitions::default());
    let is_meant = |schema: &Value| match schema.get("type") {
        Some(name) => types.iter().any(|known| name == known),
        // Anything at all, unless it is said in another way.
        None => !["oneOf", "anyOf", "allOf", "enum", "$ref"].iter().any(|key| schema.get(key).is_some()),
    };
    let mut limited: Vec<&mut Value> = match schema.get_mut("anyOf") {
        Some(Value::Array(forms)) => forms.iter_mut().filter(|form| is_meant(form)).collect(),
        _ => Some(&mut *schema).into_iter().filter(|schema| is_meant(schema)).collect(),
    };
    if limited.is_empty() {
        return Err(format!("it says nothing about {whole}"));
    }
    for schema in limited.iter_mut().filter_map(|schema| schema.as_object_mut()) {
        limit_form(schema, keyword, &value)?;
    }
    if let Some(mut default) = schema.get("default").cloned() {
        let mut faults = Vec::new();
        let definitions = Definitions::new(Map::new(), [&*schema]);
        validate(schema, &definitions, &mut default, "its default", &mut faults);
        if let Some(fault) = faults.first() {
            return Err(fault.to_string());
        }
    }
    Ok(())
}

/// The same, of one form that a value can have.
fn limit_form(schema: &mut Map<String, Value>, keyword: &str, value: &Value) -> Result<(), String> {
    let is_stricter = match (keyword, schema.get(keyword)) {
        (_, None) => true,
        (_, Some(old)) if old == value => false,
        ("multipleOf" | "pattern", Some(old)) => return Err(format!("its type has {old} already")),
        ("uniqueItems", Some(_)) => *value == Value::Bool(true),
        ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems", Some(old)) => value.as_f64() < old.as_f64(),
        (_, Some(old)) => value.as_f64() > old.as_f64(),
    };
    if is_stricter {
        schema.insert(keyword.to_owned(), value.clone());
    }
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let pairs = [
        ("minimum", "maximum", false),
        ("exclusiveMinimum", "maximum", true),
        ("minimum", "exclusiveMaximum", true),
        ("exclusiveMinimum", "exclusiveMaximum", true),
        ("minLength", "maxLength", false),
        ("minItems", "maxItems", false),
    ];
    for (low, high, is_open) in pairs {
        if let (Some(least), Some(most)) = (bound(low), bound(high))
            && (least > most || is_open && least == most)
        {
            return Err(format!("nothing has a `{low}` of {least} and a `{high}` of {most}"));
        }
    }
    Ok(())
}

/// Written by hand, so that the parameters keep their order whatever a `serde_json::Map` does with its members.
fn text(properties: &[Property], definitions: &Map<String, Value>) -> Box<str> {
    fn write(text: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
        serde_json::to_writer(text, value).expect("JSON is plain data");
    }

    let mut text = Vec::with_capacity(64 + 128 * properties.len());
    text.extend_from_slice(br#"{"type":"object","properties":{"#);
    for (at, Property { name, schema, .. }) in properties.iter().enumerate() {
        text.extend_from_slice(if at > 0 { b"," } else { b"" });
        write(&mut text, &**name);
        text.push(b':');
        write(&mut text, schema);
    }
    text.push(b'}');
    let required: Vec<&str> = properties.iter().filter(|property| property.required).map(|it| &*it.name).collect();
    if !required.is_empty() {
        text.extend_from_slice(br#","required":"#);
        write(&mut text, &required);
    }
    text.extend_from_slice(br#","additionalProperties":false"#);
    if !definitions.is_empty() {
        text.extend_from_slice(br#","$defs":"#);
        write(&mut text, definitions);
    }
    text.push(b'}');
    String::from_utf8(text).expect("JSON is UTF-8").into()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap, HashSet};

    use schemars::{Schema, SchemaGenerator, schema_for};
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    /// The schema of `T` as a parameter `p` that has to be given.
    fn required<T: JsonSchema>() -> Value {
        property::<T>("", false)
    }

    fn optional<T: JsonSchema>() -> Value {
        property::<T>("", true)
    }

    fn property<T: JsonSchema>(description: &str, optional: bool) -> Value {
        let mut builder = InputSchema::builder();
        builder.property::<T>("p", description, optional, None).unwrap();
        builder.properties.remove(0).schema
    }

    #[track_caller]
    fn check_text(schema: InputSchemaBuilder, text: &str) {
        assert_eq!(schema.finish().text(), text);
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Point {
        x: f64,
        y: Option<f32>,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Tree {
        name: String,
        kids: Vec<Tree>,
    }

    /// How to edit
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Mode {
        /// Add at the end
        Append,
        /// Put
        /// first
        PrependTo,
    }

    #[test]
    fn an_optional_parameter_has_one_plain_type_and_is_not_required() {
        let mut schema = InputSchema::builder();
        schema.property::<String>("text", "", false, None).unwrap();
        schema.property::<Option<u32>>("page", "", true, None).unwrap();
        schema.property::<Option<String>>("tag", "", true, None).unwrap();
        schema.property::<Option<Point>>("near", "", true, None).unwrap();
        check_text(
            schema,
            r#"{"type":"object","properties":{"text":{"type":"string"},"page":{"type":"integer","minimum":0,"maximum":4294967295},"tag":{"type":"string"},"near":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x"]}},"required":["text"],"additionalProperties":false}"#,
        );
    }

    #[test]
    fn without_parameters_the_schema_is_an_empty_object() {
        check_text(InputSchema::builder(), r#"{"type":"object","properties":{},"additionalProperties":false}"#);
    }

    #[test]
    fn properties_keep_their_order_a_description_and_a_default() {
        let mut schema = InputSchema::builder();
        schema.property::<String>("z", "Say \"z\".", false, None).unwrap();
        schema.property::<u8>("a", "", true, Some("10")).unwrap();
        schema.property::<Mode>("m", "", true, Some("\"append\"")).unwrap();
        schema.property::<Value>("v", "Anything.", false, None).unwrap();
        check_text(
            schema,
            r#"{"type":"object","properties":{"z":{"type":"string","description":"Say \"z\"."},"a":{"type":"integer","minimum":0,"maximum":255,"default":10},"m":{"type":"string","description":"How to edit\n- `append`: Add at the end\n- `prepend-to`: Put first","enum":["append","prepend-to"],"default":"append"},"v":{"description":"Anything."}},"required":["z","v"],"additionalProperties":false}"#,
        );
    }

    #[test]
    fn two_parameters_of_one_name_are_refused() {
        let mut schema = InputSchema::builder();
        assert_eq!(schema.property::<String>("x", "", false, None), Ok(0));
        let twice = schema.property::<String>("x", "", false, None);
        assert_eq!(twice.unwrap_err(), "has two parameters named `x`");
    }

    #[test]
    fn null_that_is_a_value_is_a_form_of_its_own() {
        assert_eq!(
            required::<Vec<Option<String>>>(),
            json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "null" }] } })
        );
        assert_eq!(required::<Option<Mode>>()["anyOf"][1], json!({ "type": "null" }));
        assert_eq!(
            output_schema::<Point>(),
            json!({
                "type": "object",
                "properties": { "x": { "type": "number" }, "y": { "anyOf": [{ "type": "number" }, { "type": "null" }] } },
                "required": ["x", "y"]
            })
        );
    }

    #[test]
    fn fields_keep_their_order_and_the_type_stands_first() {
        #[derive(Serialize, Deserialize, JsonSchema)]
        struct Plan {
            /// Which way.
            z: Option<Mode>,
            #[serde(default)]
            #[schemars(range(max = 9))]
            count: u8,
            y: Option<u16>,
            #[schemars(description = "Where.")]
            a: Point,
        }
        assert_eq!(
            required::<Plan>().to_string(),
            r#"{"type":"object","properties":{"z":{"type":"string","description":"Which way.\n- `append`: Add at the end\n- `prepend-to`: Put first","enum":["append","prepend-to"]},"count":{"type":"integer","minimum":0,"maximum":9,"default":0},"y":{"type":"integer","minimum":0,"maximum":65535},"a":{"type":"object","description":"Where.","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x"]}},"required":["a"]}"#
        );
        assert_eq!(
            output_schema::<Plan>()["properties"].as_object().unwrap().keys().collect::<Vec<_>>(),
            ["z", "count", "y", "a"]
        );
    }

    // rows: TOOL-3
    #[test]
    fn a_default_made_from_a_hash_map_is_the_same_text_each_time() {
        fn default() -> HashMap<String, u8> {
            ('a'..='z').map(|letter| (letter.to_string(), 1)).collect()
        }
        #[derive(Serialize, Deserialize, JsonSchema)]
        struct Weights {
            #[serde(default = "default")]
            of: HashMap<String, u8>,
        }
        let text = required::<Weights>().to_string();
        assert!(text.contains(r#""default":{"a":1,"b":1,"c":1,"#), "{text}");
        assert_eq!(required::<Weights>().to_string(), text);
        assert_eq!(output_schema::<Weights>().to_string(), output_schema::<Weights>().to_string());
    }

    #[test]
    fn types_that_are_not_recursive_are_written_in_place() {
        #[derive(Deserialize, JsonSchema)]
        struct Inner {
            #[expect(dead_code)]
            x: i32,
        }
        let mut schema = InputSchema::builder();
        schema.property::<Vec<Inner>>("items", "", false, None).unwrap();
        schema.property::<Option<Inner>>("one", "", true, None).unwrap();
        let inner = r#"{"type":"object","properties":{"x":{"type":"integer","minimum":-2147483648,"maximum":2147483647}},"required":["x"]}"#;
        check_text(
            schema,
            &format!(
                r#"{{"type":"object","properties":{{"items":{{"type":"array","items":{inner}}},"one":{inner}}},"required":["items"],"additionalProperties":false}}"#
            ),
        );
    }

    #[test]
    fn a_recursive_type_refers_to_a_definition_at_the_root() {
        let mut schema = InputSchema::builder();
        schema.property::<Tree>("t", "", false, None).unwrap();
        let tree = r##"{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/Tree"}}},"required":["name","kids"]}"##;
        check_text(
            schema,
            &format!(
                r#"{{"type":"object","properties":{{"t":{tree}}},"required":["t"],"additionalProperties":false,"$defs":{{"Tree":{tree}}}}}"#
            ),
        );
        let output = output_schema::<Tree>();
        assert_eq!(output["type"], "object");
        assert_eq!(output["properties"]["kids"]["items"]["$ref"], "#/$defs/Tree");
        assert_eq!(output["$defs"]["Tree"]["properties"]["kids"], output["properties"]["kids"]);
    }

    #[test]
    fn an_optional_recursive_type_is_a_plain_reference() {
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code)]
        struct Link {
            /// What follows.
            next: Option<Box<Link>>,
        }
        assert_eq!(
            required::<Link>()["properties"]["next"],
            json!({ "$ref": "#/$defs/Link", "description": "What follows." })
        );
    }

    #[test]
    fn definitions_of_a_schema_written_by_hand_move_to_the_root() {
        struct Own;
        impl JsonSchema for Own {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                "Own <1>".into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema_for!(Tree)
            }
        }
        #[derive(JsonSchema)]
        #[expect(dead_code)]
        struct Outer {
            own: Own,
            named: Named,
        }
        struct Named;
        impl JsonSchema for Named {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                "Named".into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schemars::json_schema!({
                    "$ref": "#/$defs/a%20b",
                    "$defs": { "a b": { "type": "array", "items": { "$ref": "#/$defs/a%20b" } } }
                })
            }
        }
        let mut schema = InputSchema::builder();
        schema.property::<Outer>("outer", "", false, None).unwrap();
        schema.property::<Own>("own", "", false, None).unwrap();
        let schema: Value = serde_json::from_str(schema.finish().text()).unwrap();
        let text = schema.to_string();
        let references: Vec<&str> =
            text.split(r#""$ref":""#).skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(references.len() > 4, "{text}");
        for reference in references {
            let name = generate::definition_name(reference).unwrap();
            assert!(schema["$defs"][name].is_object(), "{reference} in {text}");
        }
    }

    #[test]
    fn choices_are_one_enum_with_their_texts_in_the_description() {
        let mode = json!({
            "type": "string",
            "enum": ["append", "prepend-to"],
            "description": "How to edit\n- `append`: Add at the end\n- `prepend-to`: Put first"
        });
        assert_eq!(required::<Mode>(), mode);
        assert_eq!(optional::<Option<Mode>>(), mode);
        assert_eq!(output_schema::<Mode>(), mode);
        for schema in [property::<Mode>("Where.", false), property::<Option<Mode>>("Where.", true)] {
            assert_eq!(
                schema,
                json!({
                    "type": "string",
                    "enum": ["append", "prepend-to"],
                    "description": "Where.\n- `append`: Add at the end\n- `prepend-to`: Put first"
                })
            );
        }

        #[derive(JsonSchema)]
        #[expect(dead_code)]
        enum Mixed {
            Plain,
            /// With a text
            Said,
            Other,
        }
        assert_eq!(
            required::<Mixed>(),
            json!({ "type": "string", "enum": ["Plain", "Other", "Said"], "description": "- `Said`: With a text" })
        );

        #[derive(JsonSchema)]
        #[expect(dead_code)]
        enum Bare {
            A,
            B,
        }
        assert_eq!(required::<Bare>(), json!({ "type": "string", "enum": ["A", "B"] }));
    }

    #[test]
    fn choices_beside_other_variants_are_one_form() {
        #[derive(JsonSchema)]
        #[expect(dead_code)]
        enum Shape {
            /// Nothing
            Empty,
            /// All of it
            Full,
            Circle(f64),
        }
        assert_eq!(
            required::<Shape>(),
            json!({ "oneOf": [
                { "type": "string", "enum": ["Empty", "Full"], "description": "- `Empty`: Nothing\n- `Full`: All of it" },
                {
                    "type": "object",
                    "properties": { "Circle": { "type": "number" } },
                    "required": ["Circle"],
                    "additionalProperties": false
                }
            ] })
        );
    }

    #[test]
    fn number_formats_become_bounds_and_other_formats_stay() {
        assert_eq!(required::<u8>(), json!({ "type": "integer", "minimum": 0, "maximum": 255 }));
        assert_eq!(required::<i16>(), json!({ "type": "integer", "minimum": -32768, "maximum": 32767 }));
        assert_eq!(required::<i32>(), json!({ "type": "integer", "minimum": -2147483648, "maximum": 2147483647 }));
        assert_eq!(required::<u64>(), json!({ "type": "integer", "minimum": 0 }));
        assert_eq!(required::<usize>(), json!({ "type": "integer", "minimum": 0 }));
        assert_eq!(required::<i64>(), json!({ "type": "integer" }));
        assert_eq!(required::<f32>(), json!({ "type": "number" }));
        assert_eq!(output_schema::<f64>(), json!({ "type": "number" }));
        assert_eq!(
            required::<std::num::NonZeroU32>(),
            json!({ "type": "integer", "minimum": 1, "maximum": 4294967295_u32 })
        );
        assert_eq!(required::<std::net::Ipv4Addr>(), json!({ "type": "string", "format": "ipv4" }));
        assert_eq!(
            required::<HashMap<String, i64>>(),
            json!({ "type": "object", "additionalProperties": { "type": "integer" } })
        );
        assert_eq!(
            output_schema::<Option<u8>>(),
            json!({ "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 255 }, { "type": "null" }] })
        );
        assert_eq!(
            required::<HashSet<char>>(),
            json!({ "type": "array", "uniqueItems": true, "items": { "type": "string", "minLength": 1, "maxLength": 1 } })
        );
    }

    #[test]
    fn bounds_of_the_author_come_before_those_of_the_type() {
        #[derive(JsonSchema)]
        #[expect(dead_code)]
        struct Paged {
            #[schemars(range(min = 1, max = 50))]
            size: Option<u32>,
        }
        assert_eq!(
            required::<Paged>(),
            json!({ "type": "object", "properties": { "size": { "type": "integer", "minimum": 1, "maximum": 50 } } })
        );
    }

    #[test]
    fn a_property_called_title_stays_and_titles_go() {
        /// # A headline
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code)]
        struct Book {
            title: String,
            #[schemars(title = "The schema")]
            nullable: bool,
            #[schemars(example = json!({ "title": "x", "type": ["a", "b"] }))]
            format: Option<Value>,
        }
        assert_eq!(
            required::<Book>(),
            json!({
                "type": "object",
                "properties": {
                    "title": { "type": "string" },
                    "nullable": { "type": "boolean" },
                    "format": { "examples": [{ "title": "x", "type": ["a", "b"] }] }
                },
                "required": ["title", "nullable"]
            })
        );
    }

    #[test]
    fn anything_is_an_empty_schema() {
        assert_eq!(required::<Value>(), json!({}));
        assert_eq!(required::<Vec<Value>>(), json!({ "type": "array", "items": {} }));
        assert_eq!(required::<BTreeMap<String, Value>>(), json!({ "type": "object", "additionalProperties": {} }));
        #[derive(JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Closed {}
        assert_eq!(required::<Closed>(), json!({ "type": "object", "additionalProperties": false }));
        #[derive(JsonSchema)]
        #[schemars(extend("type" = ["string", "integer"], "maxLength" = 3))]
        struct Loose;
        assert_eq!(
            required::<Loose>(),
            json!({ "anyOf": [{ "type": "string", "maxLength": 3 }, { "type": "integer", "maxLength": 3 }] })
        );
    }

    #[test]
    fn a_default_of_null_goes_with_the_null() {
        #[derive(Serialize, Deserialize, JsonSchema)]
        struct Query {
            #[serde(default)]
            page: Option<u8>,
            #[serde(default)]
            tags: Vec<String>,
        }
        assert_eq!(
            required::<Query>(),
            json!({
                "type": "object",
                "properties": {
                    "page": { "type": "integer", "minimum": 0, "maximum": 255 },
                    "tags": { "type": "array", "items": { "type": "string" }, "default": [] }
                }
            })
        );
    }

    #[test]
    fn simple_schemas_have_a_quick_way() {
        let admits = |property: &Value, text: &str| Shape::of(property).is_some_and(|shape| shape.admits(text));
        let points = required::<Vec<Point>>();
        assert!(admits(&points, r#"[{"x":1,"y":2.5},{"x":1e3,"more":[null]}]"#));
        for text in [r#"[{"y":1}]"#, r#"[{"x":1,"y":null}]"#, "[[1]]", r#"[{"x":1,"\u0078":2}]"#, "[1e400]", "{}"] {
            assert!(!admits(&points, text), "{text}");
        }
        assert!(admits(&required::<Option<Vec<Mode>>>(), r#"["append"]"#));
        assert!(admits(&required::<Option<Vec<Mode>>>(), "null"));
        assert!(!admits(&required::<Option<Vec<Mode>>>(), r#"["appendix"]"#));
        assert!(admits(&required::<u8>(), "255"));
        for text in ["256", "-1", "3.0", "-0", "null", "\"1\""] {
            assert!(!admits(&required::<u8>(), text), "{text}");
        }
        assert!(admits(&required::<[bool; 2]>(), "[true, false]"));
        assert!(!admits(&required::<[bool; 2]>(), "[true]"));
        assert!(Shape::of(&required::<HashSet<String>>()).is_none());
        assert!(Shape::of(&required::<Tree>()).is_none());
    }
}
