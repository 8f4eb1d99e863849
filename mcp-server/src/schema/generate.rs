//! From Rust types to JSON Schema, through schemars.

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

use super::clean::{Form, clean, each_subschema, find, look_at_each_subschema, take};

/// Makes the parts of one schema document, and keeps the definitions that they refer to.
pub(crate) struct Generator {
    schemars: SchemaGenerator,
    form: Form,
    /// Definitions that a type brought along inside its own schema, under names that schemars never gives.
    lifted: Map<String, Value>,
}

impl Generator {
    /// For what a client sends: the schemas follow `Deserialize`.
    pub(crate) fn for_input() -> Self {
        Self::new(SchemaSettings::draft2020_12().for_deserialize(), Form::Input)
    }

    /// For what a server sends: the schemas follow `Serialize`.
    pub(crate) fn for_output() -> Self {
        Self::new(SchemaSettings::draft2020_12().for_serialize(), Form::Output)
    }

    fn new(settings: SchemaSettings, form: Form) -> Self {
        let schemars = settings.with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        Self { schemars: schemars.into_generator(), form, lifted: Map::new() }
    }

    /// The schema of `T`, written out in place. Only a type that contains itself is referred to, as `#/$defs/…`.
    pub(crate) fn subschema<T: JsonSchema>(&mut self) -> Value {
        let mut schema = self.raw::<T>();
        clean(&mut schema, self.form);
        schema
    }

    /// The same, with the fields of a struct also where it contains itself.
    pub(super) fn fields<T: JsonSchema>(&mut self) -> Value {
        let mut schema = self.raw::<T>();
        let target = schema.get("$ref").and_then(Value::as_str).and_then(definition_name);
        if let Some(definition) = target.and_then(|name| self.schemars.definitions().get(&name)) {
            schema = definition.clone();
        }
        clean(&mut schema, self.form);
        schema
    }

    /// The schema of a parameter: `description` stands in the place of the type's own, and without `null` where leaving
    /// the parameter out says the same.
    pub(super) fn parameter<T: JsonSchema>(&mut self, description: &str, optional: bool) -> Value {
        let mut schema = self.raw::<T>();
        // A text from a file ends with a line end.
        let description = description.trim_end();
        if !description.is_empty() {
            if schema == Value::Bool(true) {
                schema = Value::Object(Map::new());
            }
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), description.into());
            }
        }
        if optional {
            super::clean::remove_null(&mut schema);
        }
        clean(&mut schema, self.form);
        schema
    }

    /// What the schemas made so far refer to: the document's `$defs`.
    pub(crate) fn definitions(mut self) -> Map<String, Value> {
        for (name, mut schema) in self.schemars.take_definitions(false) {
            self.lift(&mut schema, &name, true);
            self.lifted.insert(name, schema);
        }
        for schema in self.lifted.values_mut() {
            clean(schema, self.form);
        }
        self.lifted
    }

    /// The schema of `T` as schemars writes it, with titles and all.
    pub(super) fn raw<T: JsonSchema>(&mut self) -> Value {
        let mut schema = self.schemars.subschema_for::<T>().to_value();
        self.lift(&mut schema, &T::schema_name(), true);
        schema
    }

    /// A type may write its schema by hand, as a document of its own with `$defs` and `"$ref": "#"`. Embedded in another
    /// document these would point nowhere, so its definitions move to the root.
    fn lift(&mut self, schema: &mut Value, owner: &str, root: bool) {
        let Some(object) = schema.as_object_mut() else { return };
        each_subschema(object, &mut |subschema| self.lift(subschema, owner, false));

        let mut own = Map::new();
        for key in ["$defs", "definitions"] {
            if let Some(Value::Object(definitions)) = take(object, key) {
                own.extend(definitions);
            }
        }
        // Most refer to nothing.
        let is_document = root || object.contains_key("$schema");
        if own.is_empty() && !(is_document && refers(object)) {
            return;
        }

        let named = |name: &str| format!("{}.{name}", owner.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
        let document = named("self");
        let mut refers_to_itself = false;
        let mut redirect = |reference: &mut String| {
            if reference == "#" {
                refers_to_itself = true;
                *reference = format!("#/$defs/{document}");
            } else if let Some(name) = definition_name(reference)
                && own.contains_key(&name)
            {
                *reference = format!("#/$defs/{}", encoded(&named(&name)));
            }
        };
        each_reference(schema, &mut redirect);
        let mut moved = own.clone();
        for definition in moved.values_mut() {
            each_reference(definition, &mut redirect);
        }
        for (name, definition) in moved {
            self.lifted.insert(named(&name), definition);
        }
        if refers_to_itself {
            self.lifted.insert(document, schema.clone());
        }
    }
}

/// The name that a `$ref` to `#/$defs/…` (or the older `#/definitions/…`) stands for.
pub(super) fn definition_name(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("#/$defs/").or_else(|| reference.strip_prefix("#/definitions/"))?;
    Some(decoded(name)?.replace("~1", "/").replace("~0", "~"))
}

/// The fragment of a URI without its `%41`.
pub(super) fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| first == b'%').and_then(|digits| str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// `name` as it stands in a `$ref`: a JSON pointer in the fragment of a URI.
fn encoded(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'~' => text.push_str("~0"),
            b'/' => text.push_str("~1"),
            b'-' | b'.' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Whether there is a `$ref` in it.
fn refers(object: &Map<String, Value>) -> bool {
    let mut found = find(object, "$ref").is_some();
    look_at_each_subschema(object, &mut |subschema| found = found || subschema.as_object().is_some_and(refers));
    found
}

fn each_reference(schema: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::String(reference)) = object.get_mut("$ref") {
        visit(reference);
    }
    each_subschema(object, &mut |subschema| each_reference(subschema, visit));
}
