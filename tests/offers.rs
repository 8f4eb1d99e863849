//! What is offered without attributes, and what stands around it: tools, resources and prompts from closures, ready-made
//! layers, logs, mounted servers and views.

mod support;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_server::apps::{self, Csp, Permissions, ToolUi, ViewMeta, Visibility};
use mcp_server::layer::{InFlight, RateLimit, Timeout, Trace};
use mcp_server::prelude::*;
use mcp_server::protocol::{CacheScope, ErrorObject, PromptArgument, ResourceContents, ResourceLink};
use mcp_server::{Extension, LogLayer, Prompt, RequestError, Resource, State, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use support::{META, Wire, block_on, on, result};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context as LayerContext, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

type Arguments = Map<String, Value>;

/// A tool that is given by its schema, and says what it was called with.
fn given(name: &'static str, schema: Value) -> Tool {
    let mut tool = Tool::builder(name);
    tool.input_schema(schema);
    tool.call(|arguments: Arguments, _ctx: Context| async move { Value::Object(arguments).to_string() })
}

fn listed(server: Server) -> Vec<Value> {
    let Value::Array(tools) = result(server, "tools/list", &json!({}))["tools"].take() else { panic!("no list") };
    tools
}

/// A modern request, as a line.
fn request(id: u32, method: &str, mut params: Value) -> Vec<u8> {
    params["_meta"] = serde_json::from_str(META).unwrap();
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).into_bytes()
}

/// Opens a stream of changes with the id 0.
async fn listen(wire: &mut Wire, notifications: Value) {
    wire.send(&request(0, "subscriptions/listen", json!({ "notifications": notifications }))).await;
    assert!(wire.line().await.unwrap().contains("notifications/subscriptions/acknowledged"));
}

// Without attributes

#[derive(Deserialize, JsonSchema)]
struct Order {
    /// What is ordered.
    sku: String,
    /// How many.
    count: Option<u32>,
    #[serde(default)]
    gift: bool,
}

fn order() -> Tool {
    let mut tool = Tool::builder("order");
    tool.description("Order something.").read_only(false);
    tool.call(|order: Order, ctx: Context| async move {
        if order.sku == "none" {
            return Err(ToolError::new("no such sku"));
        }
        let gift = if order.gift { " as a gift" } else { "" };
        Ok(format!("{}: {} {}{gift}", ctx.request_id(), order.count.unwrap_or(1), order.sku))
    })
}

// rows: TOOL-7, JSCH-7
#[test]
fn the_fields_of_a_struct_are_the_arguments() {
    assert_eq!(
        listed(Server::new("shop").tool(order())),
        [json!({
            "name": "order",
            "description": "Order something.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "sku": { "type": "string", "description": "What is ordered." },
                    "count": { "type": "integer", "minimum": 0, "maximum": 4294967295_u32, "description": "How many." },
                    "gift": { "type": "boolean", "default": false }
                },
                "required": ["sku"],
                "additionalProperties": false
            },
            "annotations": { "readOnlyHint": false }
        })]
    );
}

// rows: TOOL-19, TOOL-20
#[test]
fn what_is_wrong_with_the_arguments_is_told_to_the_model_at_once() {
    on(Server::new("shop").tool(order())).check(
        r#"
        → 1 tools/call order {"sku":"A17","count":2,"gift":true}
        ← 1 text 1: 2 A17 as a gift
        → 2 tools/call order {"sku":"A17"}
        ← 2 text 2: 1 A17
        → 3 tools/call order {"sku":"none"}
        ← 3 failed no such sku
        → 4 tools/call order {"sku":7,"count":-1,"gifts":true}
        ← 4 failed "sku: expected a string, got the number 7\ncount: expected at least 0, got -1\ngifts: unknown member; did you mean `gift`? the members are `sku`, `count`, `gift`"
        → 5 tools/call order
        ← 5 failed sku: missing, expected a string
        → 6 tools/call order {"sku":"A17","count":3.0}
        ← 6 text 6: 3 A17
        "#,
    );
}

// rows: JSCH-7
#[test]
fn a_struct_that_contains_itself_is_shown_at_the_root() {
    #[derive(Deserialize, JsonSchema)]
    struct Folder {
        name: String,
        #[serde(default)]
        folders: Vec<Folder>,
    }
    fn count(folder: &Folder) -> usize {
        assert!(!folder.name.is_empty());
        1 + folder.folders.iter().map(count).sum::<usize>()
    }
    let tool = || Tool::builder("count").call(|folder: Folder, _ctx: Context| async move { count(&folder) });
    let schema = listed(Server::new("files").tool(tool()))[0]["inputSchema"].take();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["properties"]["folders"]["items"], json!({ "$ref": "#/$defs/Folder" }));
    assert!(schema.get("$ref").is_none(), "{schema}");
    on(Server::new("files").tool(tool())).check(
        r#"
        → 1 tools/call count {"name":"a","folders":[{"name":"b"},{"name":"c","folders":[{"name":"d"}]}]}
        ← 1 text 4
        → 2 tools/call count {"name":"a","folders":[{"name":"b"},{"folders":[]}]}
        ← 2 failed folders[1].name: missing, expected a string
        "#,
    );
}

#[test]
fn what_is_no_struct_is_refused_with_its_place() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Shape {
        Circle(f64),
        Square(f64),
    }
    let tool = || {
        Tool::builder("draw").call(|shape: Shape, _ctx: Context| async move {
            match shape {
                Shape::Circle(size) | Shape::Square(size) => size,
            }
        })
    };
    let fault = Server::new("shapes").handle().add_tool(tool()).unwrap_err().to_string();
    assert!(fault.starts_with("`draw` at tests/offers.rs:") || fault.contains("offers.rs:"), "{fault}");
    assert!(fault.ends_with("takes `Shape`, which can't be the arguments: they are a struct, with a field for each"));
    let panic = std::panic::catch_unwind(|| Server::new("shapes").tool(tool())).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>(), Some(&fault));
}

// rows: TOOL-8, JSCH-1
#[test]
fn a_schema_that_is_given_is_listed_unaltered_and_enforced() {
    let modern = json!({
        "$defs": { "place": { "$anchor": "here", "type": "string", "pattern": "^[A-Z]" } },
        "type": "object",
        "properties": { "from": { "$ref": "#here" }, "to": { "$ref": "#/$defs/place" }, "days": { "type": ["integer", "null"] } },
        "if": { "properties": { "days": { "minimum": 8 } }, "required": ["days"] },
        "then": { "required": ["to"] },
        "not": { "required": ["plane"] },
        "x-our-own": { "title": null }
    });
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": { "pair": { "items": [{ "type": "integer" }, { "type": "string" }], "additionalItems": false } },
        "definitions": {}
    });
    let server = || Server::new("trips").tool(given("travel", modern.clone())).tool(given("pair", old.clone()));
    let schemas: Vec<Value> = listed(server()).into_iter().map(|mut tool| tool["inputSchema"].take()).collect();
    assert_eq!(schemas, [modern.clone(), old.clone()]);
    on(server()).check(
        r#"
        → 1 tools/call travel {"from":"Oslo","days":3,"more":[1]}
        ← 1 text "{\"from\":\"Oslo\",\"days\":3,\"more\":[1]}"
        → 2 tools/call travel {"from":"oslo","days":9}
        ← 2 failed …
        → 3 tools/call travel {"plane":true}
        ← 3 failed …
        → 4 tools/call travel
        ← 4 text {}
        → 5 tools/call pair {"pair":[1,"a"]}
        ← 5 text {"pair":[1,"a"]}
        → 6 tools/call pair {"pair":[1,"a",2]}
        ← 6 failed …
        "#,
    );
}

// rows: JSCH-1, JSCH-2, JSCH-3, JSCH-4
#[test]
fn a_schema_that_is_no_good_is_refused_before_anybody_sees_it() {
    let server = Server::new("trips");
    let handle = server.handle();
    for (schema, fault) in [
        (json!({ "type": "objekt" }), "/type"),
        (json!({ "type": "string" }), "arguments are an object"),
        (json!({}), "it needs `\"type\": \"object\"`"),
        (json!(true), "a schema is an object"),
        (json!({ "type": "object", "properties": { "a": { "minLength": -1 } } }), "/properties/a/minLength"),
        (json!({ "$schema": "https://json-schema.org/draft/2019-09/schema", "type": "object" }), "is not supported"),
        (
            json!({ "type": "object", "properties": { "a": { "$ref": "https://example.com/a.json" } } }),
            "nothing is fetched",
        ),
        (json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/b" } } }), "leads nowhere"),
    ] {
        let error = handle.add_tool(given("travel", schema.clone())).unwrap_err().to_string();
        assert!(error.contains("offers.rs:") && error.contains("has an input schema that is no good"), "{error}");
        assert!(error.contains(fault), "{error} should tell {fault}");
        let mut tool = Tool::builder("stay");
        tool.output_schema(json!({ "anyOf": [schema, 7] }));
        assert!(handle.add_tool(tool.call(|_: Arguments, _ctx: Context| async { Json(1) })).is_err());
    }
    on(server).check("→ 1 tools/list\n← 1 error -32601 …");
}

// rows: JSCH-5
#[test]
fn a_schema_that_asks_for_endless_work_is_cut_short() {
    let maze = |width: usize, length: usize| {
        let ways = |next: String| json!({ "anyOf": vec![json!({ "$ref": next }); width] });
        let mut defs: Arguments =
            (0..length).map(|at| (format!("a{at}"), ways(format!("#/$defs/a{}", at + 1)))).collect();
        defs.insert(format!("a{length}"), json!({ "type": "string" }));
        json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/a0" } }, "$defs": defs })
    };
    // One whose ways are too long to be walked at all shows at once.
    let server = Server::new("maze");
    let error = server.handle().add_tool(given("go", maze(1, 40))).unwrap_err().to_string();
    assert!(error.contains("has an input schema that is no good"), "{error}");
    on(server.tool(given("go", maze(6, 9)))).check(
        r#"
        → 1 tools/call go {"a":1}
        ← 1 failed too many ways to read this value; send a simpler one
        "#,
    );
}

/// A tool with that output schema, which returns that value.
fn returning(name: &'static str, schema: Value, value: Value) -> Tool {
    let mut tool = Tool::builder(name);
    tool.output_schema(schema);
    tool.call(move |_: Arguments, _ctx: Context| std::future::ready(Json(value.clone())))
}

// rows: TOOL-9, TOOL-16, TOOL-17
#[test]
fn a_result_may_be_any_json_that_its_schema_allows() {
    let server = || {
        Server::new("values")
            .tool(returning("list", json!({ "type": "array", "items": { "type": "integer" } }), json!([1, 2])))
            .tool(returning("seven", json!({ "type": "integer", "const": 7 }), json!(7)))
            .tool(returning("nothing", json!({ "type": "null" }), Value::Null))
            .tool(returning("object", json!({ "type": "object", "required": ["a"] }), json!({ "a": 1 })))
    };
    let schemas: Vec<Value> = listed(server()).into_iter().map(|mut tool| tool["outputSchema"].take()).collect();
    assert_eq!(schemas[0], json!({ "type": "array", "items": { "type": "integer" } }));
    assert_eq!(schemas[1..3], [json!({ "type": "integer", "const": 7 }), json!({ "type": "null" })]);
    on(server()).check(
        r#"
        → 1 tools/call list
        ← 1 {"structuredContent":[1,2],"content":[{"type":"text","text":"[1,2]"}]}
        → 2 tools/call seven
        ← 2 {"structuredContent":7,"content":[{"type":"text","text":"7"}]}
        → 3 tools/call nothing
        ← 3 {"structuredContent":null,"content":[{"type":"text","text":"null"}]}
        "#,
    );
    // Before 2026-07-28 only objects are known.
    on(server()).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call object
        ← 1 {"structuredContent":{"a":1}}
        → 2 tools/call seven
        ← {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"7"}]}}
        "#,
    );
}

// rows: TOOL-14
#[test]
fn a_result_that_breaks_its_schema_is_a_failure_of_the_tool() {
    let schema = json!({ "type": "object", "properties": { "cents": { "type": "integer" } }, "required": ["cents"] });
    let mut words = Tool::builder("words");
    words.output_schema(schema.clone());
    let words = words.call(|_: Arguments, _ctx: Context| async { "19.99" });
    let mut failing = Tool::builder("failing");
    failing.output_schema(schema.clone());
    let failing =
        failing.call(|_: Arguments, _ctx: Context| async { Err::<Json<Value>, _>(ToolError::new("no such article")) });
    let server = Server::new("prices")
        .tool(returning("good", schema.clone(), json!({ "cents": 1999 })))
        .tool(returning("bad", schema, json!({ "cents": "19.99" })))
        .tool(words)
        .tool(failing);
    on(server).check(
        r#"
        → 1 tools/call good
        ← 1 {"structuredContent":{"cents":1999}}
        → 2 tools/call bad
        ← 2 failed "the result does not keep the tool's output schema:\nresult.cents: expected an integer, got the string \"19.99\""
        → 3 tools/call words
        ← 3 failed the result is not structured, as the tool's output schema promises
        → 4 tools/call failing
        ← 4 failed no such article
        "#,
    );
}

#[test]
fn resources_and_prompts_read_their_texts_at_once() {
    #[derive(Deserialize)]
    struct Shelf {
        shelf: u8,
        row: Option<u8>,
    }
    let shelf = Resource::builder("shop://shelves/{shelf}{?row}")
        .read(|at: Shelf, _ctx: Context| async move { format!("{} {:?}", at.shelf, at.row) });
    let any = Resource::builder("shop://any/{a}/{b}")
        .read(|texts: BTreeMap<String, String>, _ctx: Context| async move { format!("{texts:?}") });
    let about = Resource::builder("shop://about").read(|(), _ctx: Context| async { "a shop" });
    let mut letter = Prompt::builder("letter");
    letter
        .argument(PromptArgument { required: Some(true), ..PromptArgument::new("to") })
        .argument(PromptArgument::new("tone"));
    let letter = letter.get(|texts: HashMap<String, String>, _ctx: Context| async move {
        format!("{} {:?}", texts["to"], texts.get("tone"))
    });
    let server = Server::new("shop").resource(shelf).resource(any).resource(about).prompt(letter);
    on(server).check(
        r#"
        → 1 resources/read {"uri":"shop://shelves/7?row=2"}
        ← 1 {"contents":[{"uri":"shop://shelves/7?row=2","text":"7 Some(2)"}]}
        → 2 resources/read {"uri":"shop://shelves/7"}
        ← 2 {"contents":[{"uri":"shop://shelves/7","text":"7 None"}]}
        → 3 resources/read {"uri":"shop://shelves/700"}
        ← 3 error -32602 shelf: expected an integer from 0 to 255, got the string "700"
        → 4 resources/read {"uri":"shop://any/x/y%20z"}
        ← 4 {"contents":[{"uri":"shop://any/x/y%20z","text":"{\"a\": \"x\", \"b\": \"y z\"}"}]}
        → 5 resources/read {"uri":"shop://about"}
        ← 5 {"contents":[{"uri":"shop://about","text":"a shop"}]}
        → 6 prompts/list
        ← 6 {"prompts":[{"name":"letter","arguments":[{"name":"to","required":true},{"name":"tone"}]}]}
        → 7 prompts/get {"name":"letter","arguments":{"to":"Ada","tone":"warm"}}
        ← 7 {"messages":[{"role":"user","content":{"type":"text","text":"Ada Some(\"warm\")"}}]}
        → 8 prompts/get {"name":"letter","arguments":{"tone":"warm"}}
        ← 8 error -32602 to: missing, expected a text
        → 9 prompts/get {"name":"letter","arguments":{"to":"Ada","tune":"warm"}}
        ← 9 error -32602 tune: no such argument; did you mean `tone`?
        "#,
    );
}

// Layers

#[derive(Deserialize, JsonSchema)]
struct Nap {
    ms: u64,
}

/// A tool that takes its time, and a resource that takes too long.
fn sleepy() -> Server {
    let nap = Tool::builder("nap").call(|nap: Nap, _ctx: Context| async move {
        tokio::time::sleep(Duration::from_millis(nap.ms)).await;
        format!("slept {} ms", nap.ms)
    });
    let winter = Resource::builder("bear://winter").read(|(), _ctx: Context| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        "spring"
    });
    Server::new("sleepy").tool(nap).resource(winter)
}

#[test]
fn a_request_that_takes_too_long_is_given_up() {
    on(sleepy().layer(Timeout::new(Duration::from_millis(100)))).check(
        r#"
        → 1 tools/call nap {"ms":20}
        ← 1 text slept 20 ms
        → 2 tools/call nap {"ms":200}
        → 3 resources/read {"uri":"bear://winter"}
        ← 2 failed `tools/call` of `nap` took longer than the timeout of 100ms and was stopped
        ← 3 error -32603 `resources/read` of `bear://winter` took longer than the timeout of 100ms and was stopped
        then
        at 120 ms
        "#,
    );
}

#[test]
fn a_stream_of_changes_has_no_timeout_and_no_place_in_flight() {
    let server = sleepy().layer(Timeout::new(Duration::from_millis(100))).layer(InFlight::new(1).waiting(0));
    let _handle = server.handle();
    block_on(async {
        let mut wire = Wire::serve(server);
        listen(&mut wire, json!({ "toolsListChanged": true })).await;
        assert_eq!(wire.line_within(Duration::from_secs(60)).await, Err(()));
        wire.send(&request(1, "tools/call", json!({ "name": "nap", "arguments": { "ms": 20 } }))).await;
        assert!(wire.line().await.unwrap().contains("slept 20 ms"));
        wire.end().await;
        assert!(wire.line().await.unwrap().contains("\"resultType\":\"complete\""));
    });
}

#[test]
fn requests_wait_for_their_turn_and_too_many_are_refused() {
    on(sleepy().layer(InFlight::new(2).waiting(1))).check(
        r#"
        → 1 tools/call nap {"ms":100}
        → 2 tools/call nap {"ms":100}
        → 3 tools/call nap {"ms":10}
        → 4 tools/call nap {"ms":10}
        ← 4 error -32603 `tools/call` of `nap` was refused: 2 requests are served at a time, and 1 wait already
        then
        at 0 ms
        ← 1 text slept 100 ms
        ← 2 text slept 100 ms
        ← 3 text slept 10 ms
        then
        at 110 ms
        "#,
    );
}

#[test]
fn a_cancelled_request_gives_its_place_to_the_next() {
    on(sleepy().layer(InFlight::new(1))).check(
        r#"
        → 1 tools/call nap {"ms":1000}
        → 2 tools/call nap {"ms":1000}
        → 3 tools/call nap {"ms":10}
        wait 5 ms
        → cancelled 2
        → cancelled 1
        ← 3 text slept 10 ms
        then
        at 15 ms
        "#,
    );
}

// rows: TOOL-20
#[test]
fn a_client_that_asks_too_often_is_told_when_to_come_back() {
    on(sleepy().layer(RateLimit::new(2, Duration::from_secs(1)))).check(
        r#"
        → 1 tools/call nap {"ms":0}
        → 2 tools/call nap {"ms":0}
        → 3 tools/call nap {"ms":0}
        ← 1 text slept 0 ms
        ← 2 text slept 0 ms
        ← {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"`tools/call` of `nap` was refused: a client may make 2 requests in 1s; try again in 500ms","data":{"retryAfterMs":500}}}
        wait 500 ms
        → 4 tools/call nap {"ms":0}
        ← 4 text slept 0 ms
        "#,
    );
}

/// Writes down the spans of this library when they close.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<BTreeMap<&'static str, String>>>>);

#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> tracing_subscriber::Layer<S> for Spans {
    fn on_new_span(&self, attributes: &tracing::span::Attributes<'_>, id: &tracing::Id, ctx: LayerContext<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        ctx.span(id).unwrap().extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &tracing::Id, values: &tracing::span::Record<'_>, ctx: LayerContext<'_, S>) {
        if let Some(fields) = ctx.span(id).unwrap().extensions_mut().get_mut::<Fields>() {
            values.record(fields);
        }
    }

    fn on_close(&self, id: tracing::Id, ctx: LayerContext<'_, S>) {
        let span = ctx.span(&id).unwrap();
        if span.metadata().target() == "mcp_server" {
            let fields = span.extensions_mut().remove::<Fields>().unwrap();
            self.0.lock().unwrap().push(fields.0);
        }
    }
}

// rows: META-10
#[test]
fn each_request_has_a_span_that_continues_the_trace_of_the_client() {
    let spans = Spans::default();
    let _default = tracing::subscriber::set_default(tracing_subscriber::registry().with(spans.clone()));
    let continued = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&continued);
    let trace = Trace::new().on_span(move |span, parent| {
        assert!(!span.is_disabled());
        noted.lock().unwrap().push(format!("{parent} {}", parent.trace_state().unwrap_or("-")));
    });
    on(sleepy().layer(trace)).check(
        r#"
        → "one" tools/call nap {"ms":1} meta {"traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01","tracestate":"rojo=1"}
        ← "one" text slept 1 ms
        → 2 tools/call nap {"ms":"x"} meta {"traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-FF"}
        ← 2 failed …
        → 3 tools/call nope
        ← 3 error -32602 …
        → 4 resources/read {"uri":"bear://summer"}
        ← 4 error -32602 …
        → 5 tools/list
        ← 5 {}
        "#,
    );
    assert_eq!(*continued.lock().unwrap(), ["00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01 rojo=1"]);
    let common = |id: &'static str, name: &'static str, method: &'static str| {
        BTreeMap::from_iter(
            [
                ("otel.name", name),
                ("otel.kind", "server"),
                ("mcp.method.name", method),
                ("mcp.protocol.version", "2026-07-28"),
                ("jsonrpc.request.id", id),
            ]
            .map(|(name, value)| (name, value.to_owned())),
        )
    };
    let with = |mut fields: BTreeMap<&'static str, String>, more: &[(&'static str, &str)]| {
        fields.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        fields
    };
    let tool = |name| [("gen_ai.operation.name", "execute_tool"), ("gen_ai.tool.name", name)];
    let failed = [("error.type", "-32602"), ("rpc.response.status_code", "-32602")];
    let mut spans = spans.0.lock().unwrap().clone();
    spans.sort_by_key(|fields| fields["jsonrpc.request.id"].clone());
    let expected = [
        with(
            with(common("2", "tools/call nap", "tools/call"), &tool("nap")),
            &[("error.type", "tool_error"), ("otel.status_code", "ERROR")],
        ),
        with(with(common("3", "tools/call", "tools/call"), &tool("nope")), &failed),
        with(with(common("4", "resources/read", "resources/read"), &[("mcp.resource.uri", "bear://summer")]), &failed),
        common("5", "tools/list", "tools/list"),
        with(
            with(common("one", "tools/call nap", "tools/call"), &tool("nap")),
            &[("trace_id", "0af7651916cd43dd8448eb211c80319c"), ("parent_span_id", "00f067aa0ba902b7")],
        ),
    ];
    assert_eq!(spans, expected);
}

// rows: META-10
#[test]
fn what_belongs_to_traces_reaches_the_handler_unchanged() {
    let tool = Tool::builder("meta").call(|_: Arguments, ctx: Context| async move {
        let meta = ctx.meta();
        ["traceparent", "tracestate", "baggage"].map(|key| meta[key].to_string()).join(" ")
    });
    on(Server::new("meta").tool(tool)).check(
        r#"
        → 1 tools/call meta meta {"traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01","tracestate":"rojo=1","baggage":"user=7"}
        ← 1 text "\"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01\" \"rojo=1\" \"user=7\""
        "#,
    );
}

// Logs

/// A tool that logs in all levels, in an `async fn` and on a thread.
fn logging() -> Server {
    let all = Tool::builder("all").call(|_: Arguments, _ctx: Context| async {
        tracing::trace!(target: "shop", "trace");
        tracing::debug!(target: "shop", n = 1, "debug");
        tracing::info!(target: "shop", ok = true, price = 1.5, name = "tea", "info");
        tokio::task::yield_now().await;
        tracing::warn!(target: "shop", "warn {}", 7);
        tracing::error!(target: "shop", kind = ?Some(1));
        tokio::spawn(async { tracing::error!(target: "shop", "of nobody") }).await.unwrap();
        tracing::error!(target: "mcp_server::inside", "of the library");
        "done"
    });
    let mut thread = Tool::builder("thread");
    let done = thread.returns::<&str>();
    let thread = thread.handler(move |call| {
        call.run_blocking(
            || {
                tracing::info!(target: "shop", "on a thread");
                "done"
            },
            done,
        )
    });
    Server::new("logging").tool(all).tool(thread)
}

/// The answers to requests with these `_meta` entries added.
fn logged(server: Server, level: &str, tool: &str) -> Vec<Value> {
    let meta = META.replacen('{', &format!("{{\"io.modelcontextprotocol/logLevel\":{level},"), 1);
    let request = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"_meta\":{meta}}}}}\n"
    );
    let lines = support::exchange(server, &request);
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn message(level: &str, data: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": level, "logger": "shop", "data": data } })
}

// rows: LOG-1, LOG-2, LOG-3, LOG-4, LOG-5
#[test]
fn what_the_code_of_a_call_logs_reaches_its_client() {
    let _default = tracing::subscriber::set_default(tracing_subscriber::registry().with(LogLayer::new()));
    let lines = logged(logging().logging(), "\"debug\"", "all");
    assert_eq!(
        lines[..5],
        [
            message("debug", json!({ "message": "trace" })),
            message("debug", json!({ "message": "debug", "n": 1 })),
            message("info", json!({ "message": "info", "ok": true, "price": 1.5, "name": "tea" })),
            message("warning", json!({ "message": "warn 7" })),
            message("error", json!({ "kind": "Some(1)" })),
        ]
    );
    assert_eq!((lines.len(), &lines[5]["result"]["content"][0]["text"]), (6, &json!("done")));

    let lines = logged(logging().logging(), "\"warning\"", "all");
    assert_eq!(lines[0], message("warning", json!({ "message": "warn 7" })));
    assert_eq!(lines.len(), 3);

    // Nobody asked, or the server does not log at all.
    assert_eq!(logged(logging().logging(), "null", "all").len(), 1);
    assert_eq!(logged(logging(), "\"debug\"", "all").len(), 1);
    assert_eq!(logged(logging().logging(), "\"loud\"", "all")[0]["error"]["code"], -32602);
    let discovered = result(logging().logging(), "server/discover", &json!({}));
    assert_eq!(discovered["capabilities"]["logging"], json!({}));
}

// rows: LOG-3
#[test]
fn what_a_plain_function_logs_reaches_its_client() {
    // Its thread is one of the runtime's, so that the subscriber is one of the whole process.
    let subscriber = tracing_subscriber::registry().with(LogLayer::new());
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let lines = logged(logging().logging(), "\"info\"", "thread");
    assert_eq!(lines[0], message("info", json!({ "message": "on a thread" })));
    assert_eq!(lines.len(), 2);
}

#[test]
fn logs_that_find_no_room_are_dropped_and_counted() {
    /// A value that logs when it is written.
    struct Chatty;
    impl std::fmt::Debug for Chatty {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            tracing::error!(target: "shop", "inside");
            f.write_str("chatty")
        }
    }
    let _default = tracing::subscriber::set_default(tracing_subscriber::registry().with(LogLayer::new()));
    let waited = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&waited);
    let many = Tool::builder("many").call(move |_: Arguments, _ctx: Context| {
        let noted = Arc::clone(&noted);
        async move {
            for n in 0..100 {
                tracing::info!(target: "shop", n);
            }
            // What was queued is written meanwhile.
            tokio::time::sleep(Duration::from_millis(1)).await;
            noted.store(true, Ordering::Relaxed);
            tracing::info!(target: "shop", value = ?Chatty, "after");
            "done"
        }
    });
    let lines = logged(Server::new("logging").logging().queue_size(1000).tool(many), "\"info\"", "many");
    assert!(waited.load(Ordering::Relaxed));
    let kept = lines.len() - 2;
    assert!((1..100).contains(&kept), "{kept}");
    let after = json!({ "message": "after", "value": "chatty", "dropped": 100 - kept });
    assert_eq!(lines[kept], message("info", after));
}

/// A layer of an author's sees the refusals of those around it.
#[test]
fn layers_stand_in_the_order_in_which_they_were_added() {
    let seen = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&seen);
    let server = sleepy()
        .layer(move |request, next: mcp_server::layer::Next| {
            let noted = Arc::clone(&noted);
            async move {
                let finished = next.run(request).await;
                if let Err(ErrorObject { data: Some(_), .. }) = &finished {
                    noted.store(true, Ordering::Relaxed);
                }
                finished
            }
        })
        .layer(RateLimit::new(1, Duration::from_secs(1)));
    on(server).check("→ 1 tools/list\n← 1 {}\n→ 2 tools/list\n← 2 error -32603 …");
    assert!(seen.load(Ordering::Relaxed));
}

// Mounted servers

struct Till(u32);

/// A server with one thing of each kind, and a state of its own.
fn shop(name: &'static str, cents: u32) -> Server {
    let mut price = Tool::builder("price");
    price.description("What it costs.");
    let till = price.parameter::<State<Till>, _>("till", "");
    let result = price.returns::<Vec<ContentBlock>>();
    let price = price.handler(move |call| match till.take(call) {
        Some(till) => call.run(
            async move {
                let link = |uri: &str| ContentBlock::from(ResourceLink::new(uri, "more"));
                let text = ContentBlock::text(till.0.to_string());
                vec![text, link("shop://orders/1"), link("https://example.com/about")]
            },
            result,
        ),
        None => call.refuse(),
    });
    let order =
        Resource::builder("shop://orders/{id}").read(|texts: BTreeMap<String, String>, _ctx: Context| async move {
            let id = &texts["id"];
            if id == "0" {
                return None;
            }
            let contents = |uri: &str| ResourceContents::text(uri, format!("order {id}"));
            Some(vec![contents(&format!("shop://orders/{id}")), contents("shop://about"), contents("x://elsewhere")])
        });
    let about = Resource::builder("shop://about").read(move |(), _ctx: Context| async move { name });
    let mut letter = Prompt::builder("letter");
    letter.argument(PromptArgument::new("to")).complete("to", |typed: String| vec![format!("{typed}da")]);
    let letter = letter.get(|texts: BTreeMap<String, String>, _ctx: Context| async move { format!("{texts:?}") });
    Server::new(name).state(Till(cents)).tool(price).resource(order).resource(about).prompt(letter)
}

// rows: TOOL-6
#[test]
fn a_mounted_server_has_a_label_and_keeps_what_is_its_own() {
    let server =
        || Server::new("market").mount("eu", shop("europe", 7)).mount("us-west", shop("america", 9)).tool(order());
    on(server()).check(
        r#"
        → 1 tools/list
        ← 1 {"tools":[{"name":"eu_price","description":"What it costs."},{"name":"us-west_price"},{"name":"order"}]}
        → 2 resources/list
        ← 2 {"resources":[{"uri":"shop://eu/about"},{"uri":"shop://us-west/about"}]}
        → 3 resources/templates/list
        ← 3 {"resourceTemplates":[{"uriTemplate":"shop://eu/orders/{id}"},{"uriTemplate":"shop://us-west/orders/{id}"}]}
        → 4 prompts/list
        ← 4 {"prompts":[{"name":"eu_letter"},{"name":"us-west_letter"}]}
        → 5 tools/call us-west_price
        ← 5 {"content":[{"text":"9"},{"uri":"shop://us-west/orders/1"},{"uri":"https://example.com/about"}]}
        → 6 tools/call price
        ← 6 error -32602 no tool is named `price`; did you mean `eu_price`?
        → 7 resources/read {"uri":"shop://eu/orders/5"}
        ← 7 {"contents":[{"uri":"shop://eu/orders/5","text":"order 5"},{"uri":"shop://eu/about"},{"uri":"x://elsewhere"}]}
        → 8 resources/read {"uri":"shop://us-west/about"}
        ← 8 {"contents":[{"uri":"shop://us-west/about","text":"america"}]}
        → 9 resources/read {"uri":"shop://eu/orders/0"}
        ← 9 error -32602 …
        → 10 resources/read {"uri":"shop://about"}
        ← 10 error -32602 …
        → 11 prompts/get {"name":"eu_letter","arguments":{"to":"Ada"}}
        ← 11 {"messages":[{"content":{"text":"{\"to\": \"Ada\"}"}}]}
        → 12 completion/complete {"ref":{"type":"ref/prompt","name":"eu_letter"},"argument":{"name":"to","value":"A"}}
        ← 12 {"completion":{"values":["Ada"]}}
        "#,
    );
    let lines = support::exchange(
        server(),
        &String::from_utf8(request(1, "resources/read", json!({ "uri": "shop://eu/orders/0" }))).unwrap(),
    );
    let error: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(error["error"]["data"]["uri"], "shop://eu/orders/0");
}

#[test]
fn a_server_in_a_server_in_a_server_has_both_labels() {
    let count = Arc::new(Mutex::new(Vec::new()));
    let noting = |name: &'static str| {
        let count = Arc::clone(&count);
        move |request: mcp_server::layer::Request, next: mcp_server::layer::Next| {
            count.lock().unwrap().push(format!("{name} {}", request.target().unwrap_or_default()));
            next.run(request)
        }
    };
    let country =
        Server::new("country").mount("north", shop("north", 3).layer(noting("shop"))).layer(noting("country"));
    let server = Server::new("world").state(0_u8).mount("no", country).layer(noting("world"));
    on(server).check(
        r#"
        → 1 tools/call no_north_price
        ← 1 {"content":[{"text":"3"},{"uri":"shop://no/north/orders/1"},{"uri":"https://example.com/about"}]}
        → 2 resources/read {"uri":"shop://no/north/orders/5"}
        ← 2 {"contents":[{"uri":"shop://no/north/orders/5","text":"order 5"},{"uri":"shop://no/north/about"},{"uri":"x://elsewhere"}]}
        → 3 tools/list
        ← 3 {"tools":[{"name":"no_north_price"}]}
        "#,
    );
    let mut seen = count.lock().unwrap().clone();
    seen.sort();
    assert_eq!(
        seen,
        [
            "country no_north_price",
            "country shop://no/north/orders/5",
            "shop no_north_price",
            "shop shop://no/north/orders/5",
            "world ",
            "world no_north_price",
            "world shop://no/north/orders/5",
        ]
    );
}

#[test]
fn what_is_switched_off_in_a_mounted_server_keeps_its_address_and_its_capability() {
    let inner = shop("europe", 7);
    let handle = inner.handle();
    let switch = handle.clone();
    let closing = Resource::builder("shop://closing").read(move |(), _ctx: Context| {
        // While it is read, the resource is switched off.
        switch.enable_resource("shop://closing", false);
        async { "closing" }
    });
    handle.add_resource(closing).unwrap();
    assert!(handle.enable_resource("shop://orders/{id}", false) && handle.enable_prompt("letter", false));
    on(Server::new("market").mount("eu", inner)).check(
        r#"
        → 1 tools/call eu_price
        ← 1 {"content":[{"text":"7"},{"uri":"shop://eu/orders/1"},{"uri":"https://example.com/about"}]}
        → 2 resources/read {"uri":"shop://eu/closing"}
        ← 2 {"contents":[{"uri":"shop://eu/closing"}]}
        → 3 resources/read {"uri":"shop://eu/closing"}
        ← 3 error -32602 …
        → 4 server/discover
        ← 4 {"capabilities":{"completions":{}}}
        → 5 completion/complete {"ref":{"type":"ref/prompt","name":"eu_letter"},"argument":{"name":"to","value":"A"}}
        ← 5 error -32602 no prompt is named `eu_letter`
        "#,
    );
    // The same when it is taken out.
    let server = shop("europe", 7);
    assert!(server.handle().remove_prompt("letter"));
    on(server).check(
        r#"
        → 1 server/discover
        ← 1 {"capabilities":{"completions":{}}}
        → 2 completion/complete {"ref":{"type":"ref/prompt","name":"letter"},"argument":{"name":"to","value":"A"}}
        ← 2 error -32602 no prompt is named `letter`
        "#,
    );
}

#[test]
fn a_long_address_is_not_sent_back_by_a_panic_or_a_layer() {
    let rash = || {
        Resource::builder("any://{+path}").read(|_: BTreeMap<String, String>, _ctx: Context| async {
            if true {
                panic!("secret text");
            }
            "never"
        })
    };
    let long = format!("any://{}", "x".repeat(60_000));
    let message = |server: Server, times: u32| {
        let requests = (1..=times).flat_map(|id| request(id, "resources/read", json!({ "uri": long })));
        let lines = support::exchange(server, &String::from_utf8(requests.collect()).unwrap());
        let error: Value = serde_json::from_str(lines.last().unwrap()).unwrap();
        error["error"]["message"].as_str().unwrap().to_owned()
    };
    let clipped = format!("any://{}…", "x".repeat(122));
    let text = message(Server::new("rash").resource(rash()), 1);
    assert_eq!(text, format!("the resource `{clipped}` failed unexpectedly"));
    let limited = Server::new("rash").resource(rash()).layer(RateLimit::new(1, Duration::MAX));
    let text = message(limited, 2);
    assert!(text.starts_with(&format!("`resources/read` of `{clipped}` was refused")) && text.len() < 400, "{text}");
}

#[test]
fn what_changes_in_a_mounted_server_changes_in_the_one_around_it() {
    let inner = shop("europe", 7);
    let handle = inner.handle();
    handle.enable_prompt("letter", false);
    let server = Server::new("world").mount("no", Server::new("country").mount("eu", inner));
    let outer = server.handle();
    block_on(async {
        let mut wire = Wire::serve(server);
        listen(
            &mut wire,
            json!({
                "toolsListChanged": true,
                "resourcesListChanged": true,
                "promptsListChanged": true,
                "resourceSubscriptions": ["shop://no/eu/orders/5"]
            }),
        )
        .await;
        let mut id = 0;
        let mut names = async |wire: &mut Wire, kind: &str, key: &str| {
            id += 1;
            wire.send(&request(id, &format!("{kind}/list"), json!({}))).await;
            let list: Value = serde_json::from_str(&wire.line().await.unwrap()).unwrap();
            let items = list["result"][kind].as_array().unwrap().clone();
            items.iter().map(|item| item[key].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let told = async |wire: &mut Wire, what: &str| {
            let line = wire.line().await.unwrap();
            assert!(line.contains(what), "{line} should tell {what}");
        };
        assert!(names(&mut wire, "prompts", "name").await.is_empty());

        handle.add_tool(given("stay", json!({ "type": "object" }))).unwrap();
        told(&mut wire, "tools/list_changed").await;
        assert_eq!(names(&mut wire, "tools", "name").await, ["no_eu_price", "no_eu_stay"]);
        assert!(handle.enable_tool("price", false) && handle.remove_tool("stay"));
        told(&mut wire, "tools/list_changed").await;
        assert!(names(&mut wire, "tools", "name").await.is_empty());

        assert!(handle.enable_prompt("letter", true));
        told(&mut wire, "prompts/list_changed").await;
        assert_eq!(names(&mut wire, "prompts", "name").await, ["no_eu_letter"]);

        handle.add_resource(Resource::builder("shop://new").read(|(), _ctx: Context| async { "new" })).unwrap();
        assert!(handle.remove_resource("shop://about"));
        told(&mut wire, "resources/list_changed").await;
        assert_eq!(names(&mut wire, "resources", "uri").await, ["shop://no/eu/new"]);

        handle.resource_updated("shop://orders/5");
        told(&mut wire, "\"uri\":\"shop://no/eu/orders/5\"").await;

        // What can't be outside is not inside either, and what stands in the way stays.
        outer.add_resource(Resource::builder("shop://no/eu/own").read(|(), _ctx: Context| async { "own" })).unwrap();
        told(&mut wire, "resources/list_changed").await;
        let twice = Resource::builder("shop://own").read(|(), _ctx: Context| async { "own" });
        assert!(handle.add_resource(twice).unwrap_err().to_string().contains("two resources are named"));
        assert_eq!(names(&mut wire, "resources", "uri").await, ["shop://no/eu/new", "shop://no/eu/own"]);
        let long = "x".repeat(124);
        let fault = handle.add_tool(given_named(long.clone())).unwrap_err().to_string();
        assert!(fault.contains("offers.rs:") && fault.contains("names are 1 to 128 characters"), "{fault}");
        assert!(!handle.remove_tool(&long));
    });
}

fn given_named(name: String) -> Tool {
    Tool::builder(name).call(|_: Arguments, _ctx: Context| async {})
}

#[test]
fn a_mount_that_can_not_be_is_refused() {
    fn panic_of(build: impl FnOnce() -> Server + std::panic::UnwindSafe) -> String {
        *std::panic::catch_unwind(build).unwrap_err().downcast::<String>().unwrap()
    }
    let fault = panic_of(|| Server::new("market").mount("a_b", Server::new("shop")));
    assert_eq!(fault, "`a_b` can't be a prefix: it is 1 or more characters of A-Z a-z 0-9 -");
    let fault = panic_of(|| Server::new("market").mount("eu", shop("a", 1)).mount("eu", shop("b", 2)));
    assert!(
        fault.starts_with("the server `b` can't be mounted at `eu`: two tools are named `eu_price`: one at"),
        "{fault}"
    );
}

#[test]
fn a_mounted_server_logs_keeps_and_closes_for_itself() {
    let opened = Arc::new(Mutex::new(Vec::new()));
    let (opening, closing) = (Arc::clone(&opened), Arc::clone(&opened));
    let speak = |name: &'static str| {
        Tool::builder(name).call(move |_: Arguments, ctx: Context| async move {
            ctx.log(mcp_server::protocol::LoggingLevel::Info, name).await?;
            Ok::<_, ToolError>(name)
        })
    };
    let server = || {
        let (opening, closing) = (Arc::clone(&opening), Arc::clone(&closing));
        let inner = Server::new("inner").logging().tool(speak("inner")).lifespan(
            async move || {
                opening.lock().unwrap().push("open");
                Ok::<_, std::io::Error>(Till(5))
            },
            async move |till: Arc<Till>| closing.lock().unwrap().push(if till.0 == 5 { "close" } else { "?" }),
        );
        let inner = inner.resource(Resource::builder("a://a").read(|(), _ctx: Context| async { "a" }));
        let inner = inner.cache(Duration::from_secs(5), CacheScope::Public);
        Server::new("outer").tool(speak("outer")).mount("a", inner)
    };
    assert_eq!(logged(server(), "\"debug\"", "outer").len(), 1);
    let lines = logged(server(), "\"debug\"", "a_inner");
    assert_eq!(lines[0]["params"]["data"], "inner");
    assert_eq!(*opened.lock().unwrap(), ["open", "close", "open", "close"]);
    on(server()).check(
        r#"
        → 1 resources/read {"uri":"a://a/a"}
        ← 1 {"contents":[{"uri":"a://a/a","text":"a"}],"ttlMs":5000,"cacheScope":"public"}
        → 2 resources/list
        ← 2 {"ttlMs":0,"cacheScope":"private"}
        "#,
    );
}

// Extensions and views

/// Why a server does not start.
fn start_fault(server: Server) -> String {
    let start = std::panic::AssertUnwindSafe(|| block_on(server.serve(tokio::io::empty(), tokio::io::sink())));
    *std::panic::catch_unwind(start).unwrap_err().downcast::<String>().unwrap()
}

fn weather() -> Server {
    let mut forecast = Tool::builder("forecast");
    forecast.meta(ToolUi::new("ui://weather/forecast").into_meta());
    let forecast = forecast.call(|_: Arguments, ctx: Context| async move {
        if apps::is_supported(&ctx) { "sunny, see the view" } else { "sunny, 21 °C" }
    });
    let mut reload = Tool::builder("reload");
    reload.meta(json!({ "com.example/own": 1 }));
    reload.meta(ToolUi { visibility: vec![Visibility::App], ..ToolUi::default() }.into_meta());
    let reload = reload.call(|_: Arguments, _ctx: Context| async { "cloudy" });
    let meta = ViewMeta {
        csp: Csp { connect_domains: vec!["https://api.example.com".into()], ..Csp::default() },
        permissions: Permissions { geolocation: true, clipboard_write: true, ..Permissions::default() },
        domain: Some("weather.example.com".into()),
        prefers_border: Some(false),
    };
    let view = apps::view_with("ui://weather/forecast", "<!doctype html><title>Forecast</title>", meta);
    let plain = apps::view("ui://weather/plain", "<!doctype html><title>Plain</title>");
    Server::new("weather").tool(forecast).tool(reload).resource(view).resource(plain)
}

// rows: APPS-2, APPS-3, APPS-4, APPS-5, APPS-10
#[test]
fn a_view_is_a_resource_that_its_tool_names() {
    on(weather().extension(apps::extension())).check(
        r#"
        → 1 tools/list
        ← 1 {"tools":[{"name":"forecast","_meta":{"ui":{"resourceUri":"ui://weather/forecast"}}},{"name":"reload","_meta":{"ui":{"visibility":["app"]},"com.example/own":1}}]}
        → 2 resources/list
        ← 2 {"resources":[{"uri":"ui://weather/forecast","mimeType":"text/html;profile=mcp-app"},{"uri":"ui://weather/plain","mimeType":"text/html;profile=mcp-app"}]}
        → 3 resources/read {"uri":"ui://weather/forecast"}
        ← {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"ui://weather/forecast","mimeType":"text/html;profile=mcp-app","text":"<!doctype html><title>Forecast</title>","_meta":{"ui":{"csp":{"connectDomains":["https://api.example.com"]},"permissions":{"geolocation":{},"clipboardWrite":{}},"domain":"weather.example.com","prefersBorder":false}}}],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"weather","version":"0.0.0"}}}}
        → 4 resources/read {"uri":"ui://weather/plain"}
        ← {"jsonrpc":"2.0","id":4,"result":{"contents":[{"uri":"ui://weather/plain","mimeType":"text/html;profile=mcp-app","text":"<!doctype html><title>Plain</title>"}],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"weather","version":"0.0.0"}}}}
        → 5 ui/initialize
        ← 5 error -32601 …
        "#,
    );
}

// rows: APPS-1, APPS-7, APPS-8
#[test]
fn a_host_without_views_reads_the_text_and_sees_the_same_tools() {
    on(weather().extension(apps::extension())).check(
        r#"
        → 1 server/discover
        ← 1 {"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}}
        → 2 tools/call forecast
        ← 2 text sunny, 21 °C
        → 3 tools/call forecast {} meta {"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}}
        ← 3 text sunny, see the view
        → 4 tools/call forecast {} meta {"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}}
        ← 4 text sunny, 21 °C
        "#,
    );
    on(weather().extension(apps::extension())).check_bare(
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}},"clientInfo":{"name":"t","version":"1"}}}
        ← 1 {"capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}}}
        → 2 tools/call forecast
        ← 2 text sunny, see the view
        "#,
    );
    let tools = |capabilities: Value| {
        let mut params = json!({ "_meta": serde_json::from_str::<Value>(META).unwrap() });
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params });
        support::exchange(weather().extension(apps::extension()), &format!("{request}\n"))
    };
    assert_eq!(tools(json!({})), tools(json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": [] } } })));
}

// rows: APPS-2, APPS-3, APPS-6, APPS-10
#[test]
fn a_server_with_a_view_that_is_not_there_does_not_start() {
    let tool = |uri: &str| {
        let mut tool = Tool::builder("forecast");
        tool.meta(ToolUi::new(uri).into_meta());
        tool.call(|_: Arguments, _ctx: Context| async {})
    };
    let page = |mime_type: Option<&str>| {
        let mut page = Resource::builder("ui://weather/{day}");
        mime_type.map(|mime_type| page.mime_type(mime_type));
        page.read(|_: BTreeMap<String, String>, _ctx: Context| async { "<!doctype html>" })
    };
    let server = || Server::new("weather").extension(apps::extension());
    for (server, fault) in [
        (
            server().tool(tool("ui://weather/now")),
            "has the view `ui://weather/now`, and there is no such resource: add `apps::view(\"ui://weather/now\", …)`",
        ),
        (
            server().tool(tool("https://example.com")),
            "has the view `https://example.com`, which is none: the address of a view begins with `ui://`",
        ),
        (server().resource(page(None)), "is a view, and has no kind of data: it must be `text/html;profile=mcp-app`"),
        (
            server().resource(page(Some("text/html"))),
            "is a view, and its kind of data is `text/html`: it must be `text/html;profile=mcp-app`",
        ),
        (
            Server::new("weather").resource(page(Some(apps::MIME_TYPE))),
            "is a view: `ui://` is reserved for MCP Apps; add `.extension(apps::extension())`",
        ),
        (
            Server::new("weather").tool(tool("ui://weather/now")),
            "has the view `ui://weather/now`: `ui://` is reserved for MCP Apps; add `.extension(apps::extension())`",
        ),
    ] {
        let told = start_fault(server);
        assert!(told.contains("offers.rs:") && told.ends_with(fault), "{told}");
    }
    let fault = server().handle().add_resource(apps::view("https://example.com", "")).unwrap_err().to_string();
    assert!(fault.contains("offers.rs:") && fault.ends_with("can't be the address of a view: it begins with `ui://`"));

    // A template may have the view, and while the server is served it is the same.
    let server = server().tool(tool("ui://weather/now")).resource(page(Some(apps::MIME_TYPE)));
    let handle = server.handle();
    block_on(async {
        let mut wire = Wire::serve(server);
        wire.send(&request(1, "resources/read", json!({ "uri": "ui://weather/now" }))).await;
        assert!(wire.line().await.unwrap().contains("\"mimeType\":\"text/html;profile=mcp-app\""));
        assert!(handle.remove_tool("forecast"));
        assert!(handle.add_tool(tool("ui://news/now")).unwrap_err().to_string().contains("there is no such resource"));
        assert!(handle.add_resource(apps::view("ui://news/now", "<!doctype html>")).is_ok());
        assert!(handle.add_tool(tool("ui://news/now")).is_ok());
    });
}

// rows: APPS-6
#[test]
fn a_mounted_server_brings_its_views() {
    let server = Server::new("world")
        .extension(apps::extension())
        .mount("no", Server::new("country").mount("oslo", weather().extension(apps::extension())));
    on(server).check(
        r#"
        → 1 tools/list
        ← 1 {"tools":[{"name":"no_oslo_forecast","_meta":{"ui":{"resourceUri":"ui://no/oslo/weather/forecast"}}},{"name":"no_oslo_reload"}]}
        → 2 resources/read {"uri":"ui://no/oslo/weather/plain"}
        ← 2 {"contents":[{"uri":"ui://no/oslo/weather/plain","mimeType":"text/html;profile=mcp-app"}]}
        "#,
    );
}

fn scales() -> Extension {
    Extension::new("com.example/scales", json!({ "unit": "g" }))
        .method("com.example/scales/weigh", |parcel: Arguments, _ctx: Context| async move {
            Ok::<_, RequestError>(json!({ "grams": parcel.len() }))
        })
}

// rows: EXT-1, EXT-2, EXT-3, EXT-4, EXT-5
#[test]
fn an_extension_is_declared_by_both_sides_or_not_used() {
    on(Server::new("plain").tool(order())).check(
        r#"
        → 1 server/discover
        ← {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"plain","version":"0.0.0"}}}}
        → 2 com.example/scales/weigh {}
        ← 2 error -32601 …
        "#,
    );
    on(Server::new("post").extension(scales()).extension(apps::extension())).check(
        r#"
        → 1 server/discover
        ← 1 {"capabilities":{"extensions":{"com.example/scales":{"unit":"g"},"io.modelcontextprotocol/ui":{}}}}
        → 2 com.example/scales/weigh {"a":1} meta {"io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.example/scales":{}}}}
        ← 2 {"grams":2}
        → {"jsonrpc":"2.0","id":3,"method":"com.example/scales/weigh","params":{"_meta":META}}
        ← {"jsonrpc":"2.0","id":3,"error":{"code":-32021,"message":"the method `com.example/scales/weigh` is part of the extension `com.example/scales`: declare it to use it","data":{"requiredCapabilities":{"extensions":{"com.example/scales":{}}}}}}
        "#,
    );
    // Before 2026-07-28 there is what allows it.
    on(Server::new("post").extension(scales()).extension(apps::extension())).check_bare(
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"com.example/scales":{}}},"clientInfo":{"name":"t","version":"1"}}}
        ← {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},"serverInfo":{"name":"post","version":"0.0.0"}}}
        → {"jsonrpc":"2.0","id":2,"method":"com.example/scales/weigh","params":{}}
        ← 2 error -32601 …
        "#,
    );
    for id in ["foo", "", "com.example/", "/foo", "1com.example/a", "com..example/a", "com.example/-a"] {
        let made = std::panic::catch_unwind(|| Extension::new(id, json!({})));
        assert_eq!(made.is_ok(), id == "com.example/", "{id}");
    }
}
