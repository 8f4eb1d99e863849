//! The schemas of arguments and results: nothing in them that a host refuses, and the same rule as the decoder's.

#![allow(deprecated, reason = "no model chooses among these tools, so they need no description")]
#![allow(dead_code, reason = "the fields of the parameters are there for their schemas")]

mod support;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::num::NonZeroU32;

use mcp_server::Server;
use mcp_server::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use support::{META, exchange, hosts::each_schema, result};

#[derive(Deserialize, JsonSchema)]
struct Point {
    x: i32,
    /// How high.
    y: Option<f32>,
}

#[derive(Deserialize, JsonSchema)]
struct Inner {
    x: i32,
}

#[derive(Deserialize, JsonSchema)]
struct Tree {
    name: String,
    kids: Vec<Tree>,
}

#[derive(Deserialize, JsonSchema)]
struct Link {
    next: Option<Box<Link>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// Add at the end
    Append,
    /// Put first
    PrependTo,
}

#[derive(Deserialize, JsonSchema)]
enum Shape {
    /// Nothing
    Empty,
    Circle(f64),
    Line(Point, Point),
    Box {
        width: u16,
        height: Option<u16>,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Payment {
    Cash,
    Card { number: String },
    Transfer { iban: String, days: Option<u8> },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Event {
    Start,
    Move(i32),
    Say { text: String },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum IdOrName {
    Id(u32),
    Name(String),
    Both { id: u32, name: String },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Strict {
    first_name: String,
    #[serde(default)]
    nick_names: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Flat {
    a: bool,
    #[serde(flatten)]
    point: Point,
}

#[derive(Deserialize, JsonSchema)]
struct Bounded {
    #[schemars(range(min = 1, max = 50))]
    #[serde(deserialize_with = "small")]
    size: u32,
}

fn small<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    u32::deserialize(deserializer)
}

#[derive(Deserialize, JsonSchema)]
struct Newtype(u8);

#[derive(Deserialize, JsonSchema)]
struct Pair(i8, String);

/// A type of another crate that says its format in the schema.
struct Uuid(String);

impl<'de> Deserialize<'de> for Uuid {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.len() != 36 {
            return Err(serde::de::Error::custom("a UUID has 36 characters"));
        }
        Ok(Self(text))
    }
}

impl JsonSchema for Uuid {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Uuid".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "uuid" })
    }
}

#[derive(Serialize, JsonSchema)]
struct Stats {
    numbers: f32,
    count: usize,
    when: Option<chrono::DateTime<chrono::Utc>>,
    tree: Vec<Node>,
}

#[derive(Serialize, JsonSchema)]
struct Node {
    kids: Vec<Node>,
}

#[derive(Deserialize, JsonSchema)]
struct Open {
    a: i32,
    #[serde(flatten)]
    rest: HashMap<String, u8>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type")]
enum Tagged {
    Point(Point),
    Other,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Defaults {
    page: u8,
    near: Option<bool>,
    tags: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Aliased {
    #[serde(alias = "x")]
    name: String,
    #[serde(skip)]
    hidden: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Worded {
    #[schemars(length(min = 1, max = 3), regex(pattern = "^[a-z]+$"))]
    word: String,
    #[schemars(length(min = 1))]
    list: Option<Vec<bool>>,
}

#[derive(Deserialize, JsonSchema)]
enum Level {
    Low = 1,
    #[serde(alias = "append")]
    High = 2,
    #[serde(other)]
    Unknown,
}

macro_rules! tools {
    ($($(#[$attribute:meta])* fn $name:ident($($parameter:ident: $type:ty),* $(,)?);)*) => {
        $(
            $(#[$attribute])*
            #[tool]
            async fn $name($($parameter: $type),*) -> &'static str {
                $(let _ = &$parameter;)*
                "ran"
            }
        )*

        /// Each tool: its name, and a server that has only this one.
        const ALONE: &[(&str, fn() -> Server)] =
            &[$((stringify!($name), || Server::new("one").tool($name))),*];

        /// A server with all of them.
        fn all() -> Server {
            Server::new("all")$(.tool($name))*.tool(nums).tool(edit).tool(users)
        }
    };
}

tools! {
    fn nothing();
    fn unit(p: ());
    fn integers(a: i64, b: Option<u8>, c: NonZeroU32, d: i16);
    fn numbers(a: f64, b: Option<f32>);
    fn texts(text: String, tags: Vec<String>, letter: Option<char>);
    fn flags(on: bool, pair: [bool; 2]);
    fn points(one: Option<Point>, many: Vec<Point>);
    fn modes(mode: Mode, or: Option<Mode>, many: Vec<Mode>);
    fn shapes(shape: Shape);
    fn payments(payment: Payment);
    fn events(event: Event);
    fn untagged(who: IdOrName);
    fn maps(tags: HashMap<String, i64>, points: BTreeMap<String, Point>);
    fn choices_as_names(modes: BTreeMap<Mode, bool>);
    fn numbered(names: BTreeMap<u8, String>);
    fn trees(t: Tree);
    fn links(link: Option<Link>);
    fn tuples(pair: (i32, String), own: Pair, new: Newtype);
    fn sets(some: HashSet<u8>, more: BTreeSet<String>);
    fn anything(any: Value, list: Vec<Value>, object: Map<String, Value>);
    fn strict(person: Strict);
    fn flat(flat: Flat);
    fn bounded(page: Bounded);
    fn nulls(list: Vec<Option<String>>, twice: Option<Option<bool>>);
    fn boxed(one: Box<Point>, some: Box<str>);
    fn formats(when: chrono::DateTime<chrono::Utc>, day: Option<chrono::NaiveDate>, id: Uuid, host: std::net::Ipv4Addr);
    fn title(title: String, r#type: Option<String>, description: Option<String>, nullable: bool);
    fn spans(wait: std::time::Duration, range: Option<std::ops::Range<u8>>);
    fn open(open: Open);
    fn tagged(tagged: Tagged, list: Vec<Tagged>);
    fn defaults(query: Defaults, more: Option<Defaults>);
    fn aliased(aliased: Aliased);
    fn worded(worded: Worded);
    fn levels(level: Level, or: Option<Level>);
    fn wide(a: i128, b: u128, c: Option<u64>, d: isize);
    fn outcomes(outcome: Result<u8, String>);
    fn perhaps_anything(any: Option<Value>);
    fn nested(pair: (Option<u8>, Vec<(bool, i8)>), array: [[u8; 2]; 1]);
    fn inners(items: Vec<Inner>, one: Option<Inner>);
}

/// Take numbers of all kinds.
#[tool]
#[allow(clippy::too_many_arguments)]
async fn nums(
    a: u8,
    b: u64,
    c: usize,
    d: i32,
    e: f32,
    when: chrono::DateTime<chrono::Utc>,
    raw: Vec<u8>,
    tags: HashMap<String, i64>,
) -> Json<Stats> {
    let numbers = f32::from(a) + b as f32 + c as f32 + d as f32 + e;
    Json(Stats { numbers, count: raw.len() + tags.len(), when: Some(when), tree: vec![Node { kids: vec![] }] })
}

/// Edit in one of two ways.
#[tool]
async fn edit(
    /// Where to put it.
    mode: Mode,
    /// If that fails.
    or: Option<Mode>,
    #[tool(default = 3)] times: u8,
) -> Json<Vec<Option<u16>>> {
    let _ = (mode, or);
    Json(vec![Some(times.into())])
}

#[derive(Serialize, JsonSchema)]
struct User {
    name: String,
    age: Option<u8>,
}

#[tool]
async fn users() -> Json<Vec<User>> {
    Json(vec![])
}

/// The tools as a client gets them.
fn listed() -> Vec<Value> {
    result(all(), "tools/list", &json!({}))["tools"].as_array().unwrap().clone()
}

fn schema_of(name: &str) -> Value {
    listed().into_iter().find(|tool| tool["name"] == name).unwrap()["inputSchema"].clone()
}

// rows: JSCH-1, JSCH-2, JSCH-7, TOOL-4, TOOL-7
#[test]
fn nothing_that_a_host_refuses_is_in_any_schema() {
    let tools = listed();
    assert_eq!(tools.len(), ALONE.len() + 3);
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let input = &tool["inputSchema"];
        assert_eq!(input["type"], "object", "{name}");
        assert!(input["properties"].is_object(), "{name}");
        assert_eq!(input["additionalProperties"], false, "{name}");
        for key in ["oneOf", "anyOf", "allOf", "$ref", "not", "enum"] {
            assert!(input.get(key).is_none(), "{name} has {key} at the root of its input schema");
        }
        for (which, document) in [("input", Some(input)), ("output", tool.get("outputSchema"))] {
            let Some(document) = document else { continue };
            let text = document.to_string();
            each_schema(document, &format!("{name}:{which}"), &mut |schema, path| {
                let Some(object) = schema.as_object() else {
                    let closed = ["additionalProperties", "items", "unevaluatedProperties"];
                    let fine = *schema == false && closed.iter().any(|key| path.ends_with(key));
                    return assert!(fine, "{path} is {schema} in {text}");
                };
                for key in ["$schema", "$id", "title", "nullable", "const", "definitions"] {
                    assert!(!object.contains_key(key), "{path} has {key} in {text}");
                }
                assert!(!object.get("type").is_some_and(Value::is_array), "{path} has many types in {text}");
                if let Some(format) = object.get("format") {
                    let known = ["date-time", "date", "uuid", "ipv4"];
                    assert!(known.iter().any(|known| format == known), "{path} has the format {format} in {text}");
                }
                if let Some(reference) = object.get("$ref") {
                    let pointer = reference.as_str().unwrap().strip_prefix('#').expect("a reference stays inside");
                    assert!(document.pointer(pointer).is_some_and(Value::is_object), "{path}: {reference} in {text}");
                }
                if let Some(required) = object.get("required") {
                    for name in required.as_array().unwrap() {
                        let known = object["properties"].get(name.as_str().unwrap()).is_some();
                        assert!(known, "{path} requires {name}, which is no property, in {text}");
                    }
                }
            });
            if let Err(error) = jsonschema::draft202012::meta::validate(document) {
                panic!("the {which} schema of {name} is none: {error}: {text}");
            }
            jsonschema::validator_for(document).expect("a schema that can be used");
        }
    }
}

// rows: TOOL-3
#[test]
fn the_schemas_are_the_same_bytes_in_every_server() {
    let request =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{\"_meta\":{META}}}}}\n");
    let first = exchange(all(), &request);
    for _ in 0..5 {
        assert_eq!(exchange(all(), &request), first);
    }
}

#[test]
fn an_optional_parameter_is_plain_and_not_required() {
    #[tool]
    async fn find(text: String, page: Option<u32>, tag: Option<String>, near: Option<Point>) {
        let _ = (text, page, tag, near);
    }
    check_schema(
        Server::new("s").tool(find),
        r#"{"type":"object","properties":{"text":{"type":"string"},"page":{"type":"integer","minimum":0,"maximum":4294967295},"tag":{"type":"string"},"near":{"type":"object","properties":{"x":{"type":"integer","minimum":-2147483648,"maximum":2147483647},"y":{"type":"number","description":"How high."}},"required":["x"]}},"required":["text"],"additionalProperties":false}"#,
    );
}

// rows: TOOL-7
#[test]
fn a_tool_without_parameters_has_an_object_without_properties() {
    #[tool]
    async fn now2(ctx: Context) {
        drop(ctx);
    }
    let empty = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    check_schema(Server::new("s").tool(nothing), empty);
    check_schema(Server::new("s").tool(now2), empty);
}

// rows: JSCH-7
#[test]
fn types_inside_of_types_are_in_place_and_recursive_ones_at_the_root() {
    check_schema(
        Server::new("s").tool(inners),
        r#"{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer","minimum":-2147483648,"maximum":2147483647}},"required":["x"]}},"one":{"type":"object","properties":{"x":{"type":"integer","minimum":-2147483648,"maximum":2147483647}},"required":["x"]}},"required":["items"],"additionalProperties":false}"#,
    );
    let trees = schema_of("trees");
    assert_eq!(trees["properties"]["t"]["properties"]["kids"]["items"], json!({ "$ref": "#/$defs/Tree" }));
    let validator = jsonschema::validator_for(&trees).unwrap();
    let good = json!({ "t": { "name": "r", "kids": [{ "name": "k", "kids": [] }] } });
    let bad = json!({ "t": { "name": "r", "kids": [{ "name": "k" }] } });
    assert!(validator.is_valid(&good) && runs(|| Server::new("s").tool(trees_tool()), "trees", &good));
    assert!(!validator.is_valid(&bad) && !runs(|| Server::new("s").tool(trees_tool()), "trees", &bad));
}

fn trees_tool() -> mcp_server::Tool {
    mcp_server::IntoTool::into_tool(trees)
}

#[test]
fn a_choice_with_texts_is_one_enum() {
    let choice = |own: &str| {
        format!(
            r#"{{"type":"string","description":"{own}\n- `append`: Add at the end\n- `prepend-to`: Put first","enum":["append","prepend-to"]}}"#
        )
    };
    check_schema(
        Server::new("s").tool(edit),
        &format!(
            r#"{{"type":"object","properties":{{"mode":{},"or":{},"times":{{"type":"integer","minimum":0,"maximum":255,"default":3}}}},"required":["mode"],"additionalProperties":false}}"#,
            choice("Where to put it."),
            choice("If that fails.")
        ),
    );
}

#[test]
fn formats_of_numbers_become_bounds() {
    check_schema(
        Server::new("s").tool(nums),
        r#"{"type":"object","properties":{"a":{"type":"integer","minimum":0,"maximum":255},"b":{"type":"integer","minimum":0},"c":{"type":"integer","minimum":0},"d":{"type":"integer","minimum":-2147483648,"maximum":2147483647},"e":{"type":"number"},"when":{"type":"string","format":"date-time"},"raw":{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}},"tags":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["a","b","c","d","e","when","raw","tags"],"additionalProperties":false}"#,
    );
    let output = listed().into_iter().find(|tool| tool["name"] == "nums").unwrap()["outputSchema"].clone();
    assert_eq!(output["properties"]["numbers"], json!({ "type": "number" }));
    assert_eq!(output["properties"]["count"], json!({ "type": "integer", "minimum": 0 }));
    assert_eq!(
        output["properties"]["when"],
        json!({ "anyOf": [{ "type": "string", "format": "date-time" }, { "type": "null" }] })
    );
}

// rows: TOOL-20
#[test]
fn formats_are_checked_by_the_type_and_named_in_the_fault() {
    let server = || Server::new("s").tool(formats);
    let arguments = |when: &str, id: &str, host: &str| json!({ "when": when, "id": id, "host": host });
    let good = "2026-07-28T12:00:00Z";
    let uuid = "67e55044-10b1-426f-9247-bb680e5fe0c8";
    assert!(runs(server, "formats", &arguments(good, uuid, "127.0.0.1")));
    for (wrong, name) in [
        (
            arguments("noon", uuid, "127.0.0.1"),
            "when: expected a string of the format `date-time`, got the string \"noon\"",
        ),
        (arguments(good, "x", "127.0.0.1"), "id: expected a string of the format `uuid`, got the string \"x\""),
        (arguments(good, uuid, "1.2.3"), "host: expected a string of the format `ipv4`, got the string \"1.2.3\""),
    ] {
        let refused = call(server(), "formats", &wrong);
        assert_eq!(refused["isError"], true);
        let text = refused["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(name), "{text}");
    }
}

/// Checks the bytes of the input schema of the only tool of a server.
#[track_caller]
fn check_schema(server: Server, schema: &str) {
    let request =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{\"_meta\":{META}}}}}\n");
    let lines = exchange(server, &request);
    let (_, rest) = lines[0].split_once("\"inputSchema\":").unwrap();
    assert!(rest.starts_with(schema), "\nthe schema is   {rest}\nit should begin {schema}");
    assert!(rest[schema.len()..].starts_with(['}', ',']));
}

/// The result of a call.
fn call(server: Server, name: &str, arguments: &Value) -> Value {
    result(server, "tools/call", &json!({ "name": name, "arguments": arguments }))
}

/// Whether a tool runs with these arguments; otherwise the model is told why.
fn runs(server: impl Fn() -> Server, name: &str, arguments: &Value) -> bool {
    let result = call(server(), name, arguments);
    let text = result["content"][0]["text"].as_str().unwrap();
    let ran = text == "ran";
    assert_eq!(result["isError"] == true, !ran, "{result}");
    assert!(!text.is_empty() && !text.contains("Rust") && !text.contains("struct "), "{text}");
    ran
}

/// Values that fit a schema, mostly.
fn fitting(schema: &Value, root: &Value, depth: u32) -> BoxedStrategy<Value> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        return if depth == 0 { any_json().boxed() } else { fitting(target, root, depth - 1) };
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return mostly(proptest::sample::select(values.clone()).boxed());
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(forms) = schema.get(key).and_then(Value::as_array) {
            let forms: Vec<_> = forms.iter().map(|form| fitting(&with_outer(schema, form), root, depth)).collect();
            return proptest::strategy::Union::new(forms).boxed();
        }
    }
    mostly(match schema.get("type").and_then(Value::as_str) {
        Some("null") => Just(Value::Null).boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("integer") => integers_near(schema),
        Some("number") => any_number(),
        Some("string") => any_text(schema),
        Some("array") => {
            let mut items: Vec<BoxedStrategy<Value>> = schema
                .get("prefixItems")
                .and_then(Value::as_array)
                .map(|items| items.iter().map(|item| fitting(item, root, depth)).collect())
                .unwrap_or_default();
            if !items.is_empty() {
                // Sometimes one is missing.
                let all = items.clone();
                items.pop();
                return mostly(prop_oneof![4 => all, 1 => items].prop_map(Value::from).boxed());
            }
            let item = schema.get("items").map_or_else(any_json, |item| fitting(item, root, depth.saturating_sub(1)));
            let bound = |key: &str, none: usize| schema[key].as_u64().map_or(none, |bound| bound as usize);
            let (least, most) = (bound("minItems", 0), bound("maxItems", if depth == 0 { 0 } else { 3 }));
            let fitting = proptest::collection::vec(item.clone(), least..=most);
            let other = proptest::collection::vec(item, least.saturating_sub(1)..=most + 1);
            mostly(prop_oneof![8 => fitting, 1 => other].prop_map(Value::from).boxed())
        }
        Some("object") => object(schema, root, depth),
        _ => any_json(),
    })
}

/// A form of several, with what is said beside the list of forms.
fn with_outer(outer: &Value, form: &Value) -> Value {
    let mut form = form.clone();
    if let (Some(form), Some(properties)) = (form.as_object_mut(), outer.get("properties").and_then(Value::as_object)) {
        let own = form.entry("properties").or_insert_with(|| json!({})).as_object_mut().unwrap();
        for (name, schema) in properties {
            own.entry(name.clone()).or_insert_with(|| schema.clone());
        }
    }
    form
}

fn object(schema: &Value, root: &Value, depth: u32) -> BoxedStrategy<Value> {
    let required: Vec<&str> =
        schema["required"].as_array().map(|names| names.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
    let mut members: Vec<BoxedStrategy<Option<(String, Value)>>> = Vec::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let likely = if required.contains(&name.as_str()) { 0.96 } else { 0.5 };
        let name = name.clone();
        let value = fitting(property, root, depth);
        members.push(proptest::option::weighted(likely, value.prop_map(move |value| (name.clone(), value))).boxed());
    }
    let mut others: Vec<BoxedStrategy<Value>> = Vec::new();
    for more in schema["patternProperties"].as_object().into_iter().flatten().map(|(_, schema)| schema) {
        others.push(fitting(more, root, depth));
    }
    if let Some(more) = schema.get("additionalProperties").filter(|more| more.is_object()) {
        others.push(fitting(more, root, depth));
    }
    let is_map = !others.is_empty();
    if !is_map {
        others.push(any_json());
    }
    let names = vec!["x", "append", "prepend-to", "7", "300", "07", "-1", "1.0", "", "é", "kind"];
    let other = (proptest::sample::select(names), proptest::strategy::Union::new(others))
        .prop_map(|(name, value)| (name.to_owned(), value));
    let others = proptest::collection::vec(proptest::option::weighted(if is_map { 0.8 } else { 0.04 }, other), 0..3);
    (members, others)
        .prop_map(|(members, others)| Value::Object(others.into_iter().chain(members).flatten().collect()))
        .boxed()
}

/// Once in a while something else altogether.
fn mostly(strategy: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop_oneof![24 => strategy, 1 => any_json()].boxed()
}

fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any_number(),
        any_text(&Value::Null),
        Just(json!([])),
        Just(json!({}))
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{0,2}", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

/// Integers about the bounds, written with and without a fraction. What needs more than 53 bits is left out: a schema has
/// no bounds for 64 bits, as not every host can write them down, and so the type alone refuses what is beyond.
fn integers_near(schema: &Value) -> BoxedStrategy<Value> {
    let mut values = vec![json!(0), json!(1), json!(-1), json!(7), json!(3.0), json!(-0.0), json!(2.5), json!(1e3)];
    for key in ["minimum", "maximum"] {
        if let Some(bound) = schema.get(key).and_then(Value::as_i64) {
            values.extend([json!(bound), json!(bound - 1), json!(bound + 1), json!(bound as f64)]);
        }
    }
    prop_oneof![
        1 => (-(1_i64 << 53)..(1_i64 << 53)).prop_map(Value::from),
        4 => (0..100_i64).prop_map(Value::from),
        4 => proptest::sample::select(values)
    ]
    .boxed()
}

fn any_number() -> BoxedStrategy<Value> {
    prop_oneof![
        (-1000..1000_i64).prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        proptest::sample::select(vec![json!(0), json!(-0.0), json!(1e300), json!(1e-300), json!(5e20)]),
    ]
    .boxed()
}

fn any_text(schema: &Value) -> BoxedStrategy<Value> {
    if schema.get("maxLength") == Some(&json!(1)) {
        return prop_oneof![4 => "[aé😀\\n]", 1 => "[ab]{0,2}"].prop_map(Value::from).boxed();
    }
    if schema.get("pattern").is_some() {
        return prop_oneof![4 => "[a-z]{1,3}", 1 => "[a-z1é]{0,4}"].prop_map(Value::from).boxed();
    }
    prop_oneof!["[a-zé\"\\\\]{0,5}", Just("append".to_owned()), Just("Empty".to_owned()), Just("1".to_owned())]
        .prop_map(Value::from)
        .boxed()
}

/// What is left out below, and why.
const EXCEPTIONS: [(&str, &str); 6] = [
    ("formats", "a schema only mentions the format of a text; the type knows it"),
    ("choices_as_names", "schemars says nothing about the names in a map, unless they are numbers"),
    ("spans", "serde knows no other members of a `Duration` or a `Range`, and schemars does not say so"),
    ("outcomes", "nor of a `Result`"),
    ("aliased", "schemars does not mention the other name, which serde takes for the same member given twice"),
    ("numbered", "schemars says that the names are digits, not how great the number may be"),
];

// The schema and the decoder are one rule. Beside these tools one exception is known, and left out of what is tried here:
// integers beyond 53 bits, for which a schema has no bounds.
// rows: TOOL-20, JSCH-2
#[test]
fn a_tool_runs_exactly_when_its_arguments_fit_its_schema() {
    let mut faults = Vec::new();
    for (name, server) in ALONE {
        if EXCEPTIONS.iter().any(|(exception, _)| exception == name) {
            continue;
        }
        let schema = schema_of(name);
        let validator = jsonschema::validator_for(&schema).unwrap();
        let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let (good, bad) = (Cell::new(0), Cell::new(0));
        let tried = runner.run(&object(&schema, &schema, 3), |arguments| {
            let valid = validator.is_valid(&arguments);
            let count = if valid { &good } else { &bad };
            count.set(count.get() + 1);
            prop_assert_eq!(runs(server, name, &arguments), valid, "{} with {}", name, &arguments);
            Ok(())
        });
        println!("{name}: {} fit, {} did not", good.get(), bad.get());
        match tried {
            Err(error) => faults.push(format!("{error}\nthe schema is {schema}")),
            // Otherwise nothing has been compared.
            Ok(()) => assert!(good.get() >= CASES / 20 && bad.get() > 0, "{name}"),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// How many arguments are tried for each tool.
const CASES: u32 = 100;
