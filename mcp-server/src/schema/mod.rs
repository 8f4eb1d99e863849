//! JSON Schema: made from the author's types, written in the form that hosts accept, and held against what comes in.
//!
//! The schema and the decoder are one rule: what the schema forbids is refused, what it allows works.

mod clean;
mod generate;
mod shape;
mod validate;
mod words;

use schemars::JsonSchema;
use serde_json::{Map, Value};

pub(crate) use self::{
    generate::Generator,
    validate::{Definitions, Fault, is_plain, suggest_leaving_out, validate},
    words::{describe, expected, unknown},
};
use self::shape::Shape;

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
    /// Adds a property. A `description` that isn't empty stands in the place of the type's own; `default` is JSON text.
    ///
    /// # Panics
    ///
    /// If there is a property of this name already.
    #[track_caller]
    pub(crate) fn property<T: JsonSchema>(&mut self, name: &str, description: &str, optional: bool, default: Option<&str>) {
        let schema = self.generator.parameter::<T>(description, optional);
        self.push(name, schema, optional, default);
    }

    #[track_caller]
    fn push(&mut self, name: &str, mut schema: Value, optional: bool, default: Option<&str>) {
        assert!(!self.properties.iter().any(|other| *other.name == *name), "two parameters are named `{name}`");
        if let Some(default) = default.and_then(|text| serde_json::from_str(text).ok())
            && let Some(schema) = schema.as_object_mut()
        {
            schema.insert("default".to_owned(), default);
        }
        self.properties.push(Property { name: name.into(), shape: Shape::of(&schema), schema, required: !optional });
    }

    /// Writes the schema down.
    pub(crate) fn finish(self) -> InputSchema {
        let definitions = self.generator.definitions();
        let text = text(&self.properties, &definitions);
        let definitions = Definitions::new(definitions, self.properties.iter().map(|property| &property.schema));
        InputSchema { text: text.into(), properties: self.properties.into(), definitions }
    }
}

/// Written by hand, because a `serde_json::Map` forgets the order of its members.
fn text(properties: &[Property], definitions: &Map<String, Value>) -> String {
    let list = |texts: Vec<String>| texts.join(",");
    let named = properties.iter().map(|property| format!("{}:{}", Value::from(&*property.name), property.schema)).collect();
    let mut text = format!(r#"{{"type":"object","properties":{{{}}}"#, list(named));
    let required: Vec<String> = properties
        .iter()
        .filter(|property| property.required)
        .map(|property| Value::from(&*property.name).to_string())
        .collect();
    if !required.is_empty() {
        text += &format!(r#","required":[{}]"#, list(required));
    }
    text += r#","additionalProperties":false"#;
    if !definitions.is_empty() {
        text += &format!(r#","$defs":{}"#, Value::from(definitions.clone()));
    }
    text + "}"
}
