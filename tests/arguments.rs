//! Arguments that are said more about: fields of one struct, limits, and bytes. And servers of more than one block.

mod support;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::NaiveDate;
use mcp_server::{Base64, Tool, prelude::*};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use support::{META, exchange, on, result};

/// What several lists take alike.
#[derive(Deserialize, JsonSchema)]
struct Page {
    /// How many to leave out.
    #[serde(default)]
    skip: u8,
    /// How many at most.
    #[schemars(range(min = 1, max = 9))]
    limit: Option<u64>,
    #[serde(rename = "startsOn")]
    starts_on: NaiveDate,
    #[serde(flatten)]
    place: Place,
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    aisle: Option<i64>,
}

/// List the orders of a customer.
#[tool]
async fn orders(
    /// Whose.
    customer: String,
    #[tool(flatten)] page: Page,
    last: bool,
) -> String {
    let Page { skip, limit, starts_on, place } = page;
    format!("{customer} {skip} {limit:?} {starts_on} {:?} {last}", place.aisle)
}

/// The properties of the only tool, and which of them must be given.
#[track_caller]
fn schema(server: Server) -> (Value, Value) {
    let tool = result(server, "tools/list", &json!({}))["tools"][0].take();
    (tool["inputSchema"]["properties"].clone(), tool["inputSchema"]["required"].clone())
}

/// What a call gives for arguments that a `Value` can't hold.
fn text_of_call(server: Server, name: &str, arguments: &str) -> String {
    let params = format!(r#"{{"name":"{name}","arguments":{arguments},"_meta":{META}}}"#);
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    let response: Value = serde_json::from_str(&exchange(server, &format!("{request}\n"))[0]).unwrap();
    response["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

/// What is said of something that can't be offered, without its place.
#[track_caller]
fn refused(build: impl FnOnce() -> Server) -> String {
    let panic = catch_unwind(AssertUnwindSafe(build)).expect_err("it should be refused");
    let text = panic.downcast_ref::<String>().expect("a panic with words");
    let (place, fault) = text
        .split_once(".rs:")
        .map_or(("", text.as_str()), |(place, rest)| (place, rest.split_once(' ').map_or(rest, |(_, fault)| fault)));
    assert!(place.ends_with("arguments"), "{text}");
    fault.to_owned()
}

#[test]
fn the_fields_of_a_flattened_parameter_are_arguments() {
    let (properties, required) = schema(Server::new("shop").tool(orders));
    let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
    assert_eq!(names, ["customer", "skip", "limit", "startsOn", "aisle", "last"]);
    assert_eq!(required, json!(["customer", "startsOn", "last"]));
    assert_eq!(
        properties["skip"],
        json!({ "type": "integer", "description": "How many to leave out.", "minimum": 0, "maximum": 255, "default": 0 })
    );
    on(Server::new("shop").tool(orders)).check(
        r#"
        → 1 tools/call orders {"customer":"ada","skip":3.0,"limit":9,"startsOn":"2026-07-28","aisle":-7,"last":true}
        ← 1 text ada 3 Some(9) 2026-07-28 Some(-7) true
        → 2 tools/call orders {"last":false,"startsOn":"2026-07-28","customer":"ada"}
        ← 2 text ada 0 None 2026-07-28 None false
        "#,
    );
}

#[test]
fn what_is_wrong_with_a_field_is_told_at_its_name_beside_the_rest() {
    on(Server::new("shop").tool(orders)).check(
        r#"
        → 1 tools/call orders {"customer":7,"skip":300,"limit":0,"last":true,"startson":"x"}
        ← 1 failed "customer: expected a string, got the number 7\nskip: expected at most 255, got 300\nlimit: expected at least 1, got 0\nstartsOn: missing, expected a string\nstartson: unknown argument; did you mean `startsOn`? the arguments are `customer`, `skip`, `limit`, `startsOn`, `aisle`, `last`"
        → 2 tools/call orders {"customer":"ada","startsOn":"in July","last":true}
        ← 2 failed "startsOn: expected a string of the format `date`, got the string \"in July\" (input contains invalid characters)"
        "#,
    );
    let twice = r#"{"customer":"ada","startsOn":"2026-07-28","startsOn":"2026-07-29","last":true}"#;
    assert_eq!(text_of_call(Server::new("shop").tool(orders), "orders", twice), "startsOn: given twice");
}

#[test]
fn a_number_of_more_than_64_bits_reaches_a_field() {
    #[derive(Deserialize, JsonSchema)]
    struct Large {
        signed: i128,
        unsigned: u128,
        plain: u64,
    }
    /// Say it.
    #[tool]
    async fn say(#[tool(flatten)] large: Large, alone: i128) -> String {
        format!("{} {} {} {alone}", large.signed, large.unsigned, large.plain)
    }
    let arguments = r#"{"signed":-9223372036854775809,"unsigned":18446744073709551616,"plain":18446744073709551615,"alone":-9223372036854775809}"#;
    let text = text_of_call(Server::new("x").tool(say), "say", arguments);
    assert_eq!(text, "-9223372036854775809 18446744073709551616 18446744073709551615 -9223372036854775809");
}

#[test]
fn a_struct_that_contains_itself_can_be_flattened() {
    #[derive(Deserialize, JsonSchema)]
    struct Tree {
        name: String,
        #[serde(default)]
        kids: Vec<Tree>,
    }
    /// Count.
    #[tool]
    async fn count(#[tool(flatten)] tree: Tree, deep: bool) -> usize {
        fn all(tree: &Tree) -> usize {
            assert!(!tree.name.is_empty());
            1 + tree.kids.iter().map(all).sum::<usize>()
        }
        if deep { all(&tree) } else { 1 }
    }
    on(Server::new("trees").tool(count)).check(
        r#"
        → 1 tools/call count {"name":"a","kids":[{"name":"b","kids":[{"name":"c"}]}],"deep":true}
        ← 1 text 3
        → 2 tools/call count {"name":"a","kids":[{"kids":[]}],"deep":true}
        ← 2 failed kids[0].name: missing, expected a string
        "#,
    );
}

#[test]
fn a_struct_around_a_struct_is_flattened_like_it() {
    #[derive(Deserialize, JsonSchema)]
    struct Inner {
        a: u8,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Around(Inner);
    /// Double it.
    #[tool]
    async fn double(#[tool(flatten)] around: Around) -> u8 {
        around.0.a * 2
    }
    on(Server::new("x").tool(double)).check(
        r#"
        → 1 tools/call double {"a":4}
        ← 1 text 8
        "#,
    );
}

#[test]
fn a_field_that_the_type_refuses_is_named() {
    #[derive(Deserialize)]
    #[serde(try_from = "u32")]
    struct Even(u32);

    impl TryFrom<u32> for Even {
        type Error = String;

        fn try_from(number: u32) -> Result<Self, String> {
            (number & 1 == 0).then_some(Self(number)).ok_or(format!("{number} is odd"))
        }
    }

    #[derive(Deserialize, JsonSchema)]
    struct Pair {
        left: u32,
        #[schemars(with = "u32")]
        right: Even,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(try_from = "Bounds")]
    struct Range {
        low: u32,
        high: u32,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Bounds {
        low: u32,
        high: u32,
    }

    impl TryFrom<Bounds> for Range {
        type Error = &'static str;

        fn try_from(Bounds { low, high }: Bounds) -> Result<Self, &'static str> {
            if low <= high { Ok(Self { low, high }) } else { Err("low is above high") }
        }
    }

    /// Add.
    #[tool]
    async fn add(#[tool(flatten)] pair: Pair, #[tool(flatten)] range: Range) -> u32 {
        (pair.left + pair.right.0).clamp(range.low, range.high)
    }

    on(Server::new("numbers").tool(add)).check(
        r#"
        → 1 tools/call add {"left":1,"right":2,"low":0,"high":9}
        ← 1 text 3
        → 2 tools/call add {"left":1,"right":3,"low":0,"high":9}
        ← 2 failed right: 3 is odd, got the number 3
        → 3 tools/call add {"left":1,"right":2,"low":9,"high":0}
        ← 3 failed low is above high
        "#,
    );
}

#[test]
fn only_a_struct_with_known_fields_can_be_flattened() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    #[allow(dead_code, reason = "only the schema matters")]
    enum Shape {
        Circle { radius: f64 },
    }
    /// A map.
    #[tool]
    async fn map(#[tool(flatten)] map: HashMap<String, u32>) -> usize {
        map.len()
    }
    /// A shape.
    #[tool]
    async fn shape(#[tool(flatten)] _shape: Shape) {}
    /// A number.
    #[tool]
    async fn number(#[tool(flatten)] number: u32) -> u32 {
        number
    }
    /// Perhaps a page.
    #[tool]
    async fn perhaps(#[tool(flatten)] page: Option<Page>) -> bool {
        page.is_some()
    }
    let says = |name: &str| {
        format!("flattens `{name}`, which is no struct with a fixed set of fields: take it as a parameter of its own")
    };
    assert_eq!(refused(|| Server::new("x").tool(map)), says("Map_of_uint32"));
    assert_eq!(refused(|| Server::new("x").tool(shape)), says("Shape"));
    assert_eq!(refused(|| Server::new("x").tool(number)), says("uint32"));
    let optional = "flattens an `Option`: take the struct itself, and make its fields optional";
    assert_eq!(refused(|| Server::new("x").tool(perhaps)), optional);

    /// Twice.
    #[tool]
    async fn twice(skip: u8, #[tool(flatten)] page: Page) -> u8 {
        skip + page.skip
    }
    /// Twice, in the other order.
    #[tool]
    async fn before(#[tool(flatten)] page: Page, skip: u8) -> u8 {
        skip + page.skip
    }
    assert_eq!(refused(|| Server::new("x").tool(twice)), "has two parameters named `skip`");
    assert_eq!(refused(|| Server::new("x").tool(before)), "has two parameters named `skip`");
}

const MOST: u8 = 40;
const LEAST: i64 = 1;

/// All that can be limited.
#[tool]
#[allow(clippy::too_many_arguments, reason = "one for each limit")]
async fn limited(
    #[tool(minimum = 1)] minimum: u32,
    #[tool(maximum = MOST)] maximum: u8,
    #[tool(exclusive_minimum = -1.5)] above: f64,
    #[tool(exclusive_maximum = -LEAST)] below: i64,
    #[tool(multiple_of = 0.5)] step: f64,
    #[tool(min_length = 2, max_length = 3)] text: String,
    #[tool(pattern = "^[A-Z][0-9]+$")] pattern: Option<String>,
    #[tool(min_items = 1, max_items = 2, unique_items)] items: Vec<u8>,
    #[tool(default = 10, minimum = 1)] with_default: u32,
) -> String {
    format!("{minimum} {maximum} {above} {below} {step} {text} {pattern:?} {items:?} {with_default}")
}

#[test]
fn a_limit_is_in_the_schema_and_kept() {
    let (properties, _) = schema(Server::new("x").tool(limited));
    assert_eq!(
        properties,
        json!({
            "minimum": { "type": "integer", "minimum": 1, "maximum": 4294967295_u32 },
            "maximum": { "type": "integer", "minimum": 0, "maximum": 40 },
            "above": { "type": "number", "exclusiveMinimum": -1.5 },
            "below": { "type": "integer", "exclusiveMaximum": -1 },
            "step": { "type": "number", "multipleOf": 0.5 },
            "text": { "type": "string", "minLength": 2, "maxLength": 3 },
            "pattern": { "type": "string", "pattern": "^[A-Z][0-9]+$" },
            "items": {
                "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 },
                "minItems": 1, "maxItems": 2, "uniqueItems": true
            },
            "with_default": { "type": "integer", "minimum": 1, "maximum": 4294967295_u32, "default": 10 }
        })
    );
    on(Server::new("x").tool(limited)).check(
        r#"
        → 1 tools/call limited {"minimum":1,"maximum":40,"above":-1.4,"below":-2,"step":1.5,"text":"äöü","pattern":"A17","items":[1,2]}
        ← 1 text 1 40 -1.4 -2 1.5 äöü Some("A17") [1, 2] 10
        → 2 tools/call limited {"minimum":0,"maximum":41,"above":-1.5,"below":-1,"step":1.2,"text":"a","pattern":"a","items":[],"with_default":0}
        ← 2 failed "minimum: expected at least 1, got 0\nmaximum: expected at most 40, got 41\nabove: expected more than -1.5, got -1.5\nbelow: expected less than -1, got -1\nstep: expected a multiple of 0.5, got 1.2\ntext: expected at least 2 characters, got 1 in the string \"a\"\npattern: expected a string that matches the pattern `^[A-Z][0-9]+$`, got the string \"a\"\nitems: expected at least 1 item, got 0\nwith_default: expected at least 1, got 0"
        → 3 tools/call limited {"minimum":1,"maximum":0,"above":0,"below":-9,"step":0,"text":"abcd","items":[1,1]}
        ← 3 failed "text: expected at most 3 characters, got 4 in the string \"abcd\"\nitems[1]: the same as item 0; all items have to differ"
        "#,
    );
}

#[test]
fn the_stricter_of_two_limits_holds() {
    let mut tool = Tool::builder("x");
    let byte = tool.parameter::<u8, _>("byte", "");
    tool.limit(byte, "maximum", 999).limit(byte, "minimum", -5).limit(byte, "minimum", 7);
    let tool = tool.handler(|call| call.refuse());
    let (properties, _) = schema(Server::new("x").tool(tool));
    assert_eq!(properties["byte"], json!({ "type": "integer", "minimum": 7, "maximum": 255 }));
}

#[test]
fn a_limit_that_is_no_good_is_told_when_the_tool_is_added() {
    #[track_caller]
    fn check<T: mcp_server::ToolArgument>(keyword: &str, value: Value, fault: &str) {
        let mut tool = Tool::builder("x");
        let p = tool.parameter_or::<T, _>("p", "", || unreachable!(), Some("3"));
        tool.limit(p, keyword, value);
        let tool = tool.handler(|call| call.refuse());
        let fault = format!("has a parameter `p` with `{keyword}`: {fault}");
        assert_eq!(refused(|| Server::new("x").tool(tool)), fault);
    }
    check::<String>("minimum", json!(1), "it says nothing about a string");
    check::<u8>("minLength", json!(1), "it says nothing about an integer");
    check::<Vec<u8>>("maximum", json!(1), "it says nothing about an array of integers");
    check::<u8>("minimum", json!("1"), "expected a number, got the string \"1\"");
    check::<u8>("minimum", json!(300), "nothing has a `minimum` of 300 and a `maximum` of 255");
    check::<u8>("exclusiveMinimum", json!(255), "nothing has a `exclusiveMinimum` of 255 and a `maximum` of 255");
    check::<Code>("pattern", json!("b"), "its type has \"^a\" already");
    check::<Shape>("minimum", json!(1), "it says nothing about an object");
    check::<u8>("minimum", json!(4), "its default: expected at least 4, got 3");
    check::<u8>("multipleOf", json!(0), "expected a number above 0, got the number 0");
    check::<u8>("format", json!("email"), "this is no limit");

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only the schema matters")]
    struct Code(String);

    impl JsonSchema for Code {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Code".into()
        }

        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({ "type": "string", "pattern": "^a" })
        }
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only the schema matters")]
    enum Shape {
        Circle { radius: f64 },
        Square { side: f64 },
    }

    let mut tool = Tool::builder("x");
    let text = tool.parameter::<String, _>("text", "");
    tool.limit(text, "pattern", "(");
    let tool = tool.handler(|call| call.refuse());
    let fault = refused(|| Server::new("x").tool(tool));
    assert!(fault.starts_with("has a parameter `text` with `pattern`: "), "{fault}");

    let mut tool = Tool::builder("x");
    let page = tool.flatten::<Page>();
    tool.limit(page, "minimum", 1);
    let tool = tool.handler(|call| call.refuse());
    assert_eq!(
        refused(|| Server::new("x").tool(tool)),
        "has the limit `minimum` for a parameter that is not one argument"
    );
}

#[test]
fn a_limit_is_for_all_forms_that_it_is_about() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[allow(dead_code, reason = "only the schema matters")]
    enum Amount {
        Small(u8),
        Large(i64),
        Named(String),
    }

    let mut tool = Tool::builder("x");
    let number = tool.parameter::<Vec<Option<u8>>, _>("numbers", "");
    tool.limit(number, "maxItems", 1);
    let either = tool.parameter_or::<Option<u32>, _>("either", "", || Some(1), Some("1"));
    tool.limit(either, "maximum", 5);
    let anything = tool.parameter::<Value, _>("anything", "");
    tool.limit(anything, "maximum", 5);
    let amount = tool.parameter::<Amount, _>("amount", "");
    tool.limit(amount, "maximum", 5);
    let tool = tool.handler(move |call| {
        let (numbers, either, anything) = (number.take(call), either.take(call), anything.take(call));
        let (Some(_), Some(_), Some(_), Some(_)) = (numbers, either, anything, amount.take(call)) else {
            return call.refuse();
        };
        call.refuse()
    });
    on(Server::new("x").tool(tool)).check(
        r#"
        → 1 tools/call x {"numbers":[null,1],"either":6,"anything":6,"amount":"many"}
        ← 1 failed "numbers: expected at most 1 item, got 2\neither: expected at most 5, got 6\nanything: expected at most 5, got 6"
        → 2 tools/call x {"numbers":[],"anything":"x","amount":300}
        ← 2 failed "amount: expected an integer or a string, got the number 300"
        "#,
    );
}

#[derive(Serialize, JsonSchema)]
struct Scan {
    image: Base64,
}

#[derive(Deserialize, JsonSchema)]
struct Attachment {
    name: String,
    data: Base64,
}

/// Scan.
#[tool]
async fn scan(
    seed: Base64,
    more: Option<Base64>,
    files: Vec<Attachment>,
    #[tool(flatten)] one: Attachment,
) -> Json<Scan> {
    let names: Vec<u8> = files.iter().chain([&one]).flat_map(|file| file.name.bytes()).collect();
    let data = files.iter().chain([&one]).flat_map(|file| file.data.0.iter().copied());
    let more = more.map(Vec::from).unwrap_or_default();
    Json(Scan { image: Base64([seed.0, more, data.collect(), names].concat()) })
}

#[test]
fn bytes_travel_as_base64_in_both_directions() {
    let (properties, _) = schema(Server::new("x").tool(scan));
    assert_eq!(properties["seed"], json!({ "type": "string", "contentEncoding": "base64" }));
    on(Server::new("x").tool(scan)).check(
        r#"
        → 1 tools/call scan {"seed":"AP8=","files":[{"name":"b","data":"Ag=="}],"name":"c","data":"Aw=="}
        ← 1 text {"image":"AP8CA2Jj"}
        → 2 tools/call scan {"seed":"%","more":[1,2],"files":[],"name":"c","data":"Aw"}
        ← 2 failed "seed: expected a string in Base64, got the string \"%\"\nmore: expected a string, got an array\ndata: expected a string in Base64, got the string \"Aw\""
        "#,
    );
}

/// A server of several blocks, some of them elsewhere.
struct Shop<S> {
    store: S,
}

trait Store: Send + Sync + 'static {
    fn left(&self) -> u32;
}

impl Store for u32 {
    fn left(&self) -> u32 {
        *self
    }
}

#[server(parts = [stock, talk])]
impl<S: Store> Shop<S> {
    /// Buy.
    #[tool]
    async fn buy(&self) -> u32 {
        self.store.left() - 1
    }
}

#[server(part = stock)]
impl<S> Shop<S>
where
    S: Store,
{
    /// How many are left.
    #[tool]
    async fn left(&self) -> u32 {
        self.store.left()
    }

    /// What is left, as a text.
    #[resource("shop://left")]
    fn left_text(&self) -> String {
        self.store.left().to_string()
    }
}

mod talk {
    use mcp_server::prelude::*;

    #[server(part = talk, parts = [more])]
    impl<S: super::Store> super::Shop<S> {
        /// Ask.
        #[prompt]
        fn ask(&self) -> String {
            format!("Ask for one of {}.", self.store.left())
        }
    }

    #[server(part = more)]
    impl<S: super::Store> super::Shop<S> {
        /// Wave.
        #[tool]
        fn wave(&self) -> &'static str {
            "bye"
        }
    }
}

#[test]
fn a_server_has_the_offers_of_all_its_blocks() {
    let server = || Server::new("shop").with(Shop { store: 3_u32 });
    let listed = result(server(), "tools/list", &json!({}));
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["buy", "left", "wave"]);
    on(server()).check(
        r#"
        → 1 tools/call buy
        ← 1 text 2
        → 2 tools/call left
        ← 2 text 3
        → 3 tools/call wave
        ← 3 text bye
        "#,
    );
    assert_eq!(result(server(), "resources/read", &json!({ "uri": "shop://left" }))["contents"][0]["text"], "3");
    let prompt = result(server(), "prompts/get", &json!({ "name": "ask" }));
    assert_eq!(prompt["messages"][0]["content"]["text"], "Ask for one of 3.");
}

#[test]
fn two_blocks_with_one_name_are_told_with_both_places() {
    struct Twice;

    #[server(parts = [other])]
    impl Twice {
        /// One.
        #[tool(name = "x")]
        async fn one(&self) {}
    }

    #[server(part = other)]
    impl Twice {
        /// Two.
        #[tool(name = "x")]
        async fn two(&self) {}
    }

    let panic = catch_unwind(|| Server::new("x").with(Twice)).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert_eq!(text.matches("arguments.rs:").count(), 2, "{text}");
}
