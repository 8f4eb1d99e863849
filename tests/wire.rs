//! All that a server writes fits the schemas that the specification comes with, and what other servers wrote before it.
//!
//! The schemas and the recordings are no part of this repository: they are looked for in `../shared` beside it, or where
//! `MCP_SHARED` says. Without them these tests say so, and pass.

mod support;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::Duration;

use mcp_server::prelude::*;
use mcp_server::protocol::{
    Annotations, AudioContent, CacheScope, CreateMessageParams, EmbeddedResource, Icon, ImageContent, LoggingLevel,
    PromptArgument, PromptMessage, ResourceContents, ResourceLink, Role, SamplingMessage,
};
use mcp_server::{Prompt, Resource, ServerHandle, State};
use serde_json::{Value, json};
use support::{META, Wire, block_on, exchange, tools};

/// A file that is no part of the repository.
fn shared(path: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("MCP_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let path = shared.join(path);
    if path.exists() {
        return Some(path);
    }
    println!("left out: there is no {}; MCP_SHARED can name the folder that it is in", path.display());
    None
}

/// The official definitions of one revision.
struct Definitions {
    schema: Value,
    /// Where they stand: `$defs`, or `definitions` in the older ones.
    key: &'static str,
    validators: RefCell<HashMap<String, jsonschema::Validator>>,
}

impl Definitions {
    fn of(version: &str) -> Option<Self> {
        let path = shared(&format!("spec/schema/{version}.json"))?;
        let mut schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let key = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
        // The generator of the schemas has dropped `null` and fractions from this one.
        if let Some(any) = schema[key].get_mut("JSONValue") {
            *any = json!({});
        }
        Some(Self { schema, key, validators: RefCell::default() })
    }

    #[track_caller]
    fn check(&self, name: &str, value: &Value) {
        assert!(self.schema[self.key].get(name).is_some(), "there is no {name}");
        let mut validators = self.validators.borrow_mut();
        let validator = validators.entry(name.to_owned()).or_insert_with(|| {
            let reference = format!("#/{}/{name}", self.key);
            let schema =
                json!({ "$schema": self.schema["$schema"], "$ref": reference, self.key: self.schema[self.key] });
            jsonschema::validator_for(&schema).unwrap()
        });
        let errors: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{} at {}", error, error.instance_path())).collect();
        assert!(errors.is_empty(), "{value} is no {name}:\n{}", errors.join("\n"));
    }
}

/// What a client of one revision says in a session that touches everything.
fn session(version: &str) -> Vec<Value> {
    let modern = version == "2026-07-28";
    let meta: Value = if modern { serde_json::from_str(META).unwrap() } else { json!({}) };
    let mut session = Vec::new();
    let mut request = |method: &str, mut params: Value, meta: Value| {
        params["_meta"] = meta;
        let id = if session.len() % 2 == 0 { json!(session.len()) } else { json!(format!("r{}", session.len())) };
        session.push(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    };
    if modern {
        request("server/discover", json!({}), meta.clone());
        let mut other = meta.clone();
        other["io.modelcontextprotocol/protocolVersion"] = "1900-01-01".into();
        request("tools/list", json!({}), other);
    } else {
        let client = json!({ "name": "t", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        request("initialize", params, json!({}));
        request("ping", json!({}), json!({}));
    }
    request("tools/list", json!({}), meta.clone());
    request("tools/list", json!({ "cursor": "tools-1" }), meta.clone());
    request("tools/list", json!({ "cursor": "none" }), meta.clone());
    request("no/such/method", json!({}), meta.clone());
    let calls = [
        ("echo", json!({ "text": "é\n" })),
        ("add", json!({ "a": 1, "b": 2 })),
        ("add", json!({ "a": "1" })),
        ("now", json!({})),
        ("whoami", json!({})),
        ("sleep", json!({ "ms": 1 })),
        ("count", json!({ "n": 3 })),
        ("count_sync", json!({ "n": 3 })),
        ("backwards", json!({})),
        ("fractions", json!({})),
        ("bar", json!({})),
        ("boom", json!({})),
        ("boom_sync", json!({})),
        ("boom_late", json!({})),
        ("pairs", json!({})),
        ("fail", json!({ "order": "x" })),
        ("find", json!({ "text": "x", "near": { "x": 1, "y": 2 } })),
        ("nothing", json!({})),
        ("price", json!({ "sku": "A17" })),
        ("price", json!({ "sku": "?" })),
        ("users", json!({})),
        ("total", json!({})),
        ("nobody", json!({})),
        ("blocks", json!({})),
        ("patient", json!({})),
        ("detailed", json!({})),
        ("no_such_tool", json!({})),
    ];
    for (at, (name, arguments)) in calls.into_iter().enumerate() {
        let mut meta = meta.clone();
        meta["progressToken"] = if at % 2 == 0 { json!(at) } else { json!(format!("token {at}")) };
        request("tools/call", json!({ "name": name, "arguments": arguments }), meta);
    }
    session
}

/// What a client says to a server that offers all that is no plain tool, and is asked things.
fn second_session(version: &str) -> Vec<Value> {
    let modern = version == "2026-07-28";
    let capabilities = json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "tools": {} }, "roots": {} });
    let mut meta: Value = if modern { serde_json::from_str(META).unwrap() } else { json!({}) };
    let mut session = Vec::new();
    let mut request = |method: &str, mut params: Value, meta: &Value| {
        params["_meta"] = meta.clone();
        session.push(json!({ "jsonrpc": "2.0", "id": session.len(), "method": method, "params": params }));
    };
    if modern {
        request("tools/call", json!({ "name": "ask_form" }), &meta);
        meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        request("server/discover", json!({}), &meta);
        let everything = json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": ["shop://catalog"],
        });
        request("subscriptions/listen", json!({ "notifications": everything }), &meta);
        meta["io.modelcontextprotocol/logLevel"] = "debug".into();
    } else {
        let client = json!({ "name": "t", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": client });
        request("initialize", params, &meta);
        session.push(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        let mut request = |method: &str, params: Value| {
            session.push(json!({ "jsonrpc": "2.0", "id": session.len(), "method": method, "params": params }));
        };
        request("logging/setLevel", json!({ "level": "debug" }));
        request("resources/subscribe", json!({ "uri": "shop://catalog" }));
    }
    let mut request = |method: &str, mut params: Value| {
        if modern {
            params["_meta"] = meta.clone();
        }
        session.push(json!({ "jsonrpc": "2.0", "id": session.len(), "method": method, "params": params }));
    };
    request("resources/list", json!({}));
    request("resources/templates/list", json!({}));
    request("resources/read", json!({ "uri": "shop://catalog" }));
    request("resources/read", json!({ "uri": "shop://sign" }));
    request("resources/read", json!({ "uri": "shop://orders/7" }));
    request("resources/read", json!({ "uri": "shop://none" }));
    request("prompts/list", json!({}));
    request("prompts/get", json!({ "name": "talk", "arguments": { "about": "tea" } }));
    request("prompts/get", json!({ "name": "none" }));
    let reference = json!({ "type": "ref/prompt", "name": "talk" });
    request("completion/complete", json!({ "ref": reference, "argument": { "name": "about", "value": "t" } }));
    request("tools/call", json!({ "name": "chatter" }));
    request("tools/call", json!({ "name": "change_all" }));
    request("tools/call", json!({ "name": "ask_form" }));
    request("tools/call", json!({ "name": "ask_model" }));
    request("tools/call", json!({ "name": "ask_page" }));
    request("tools/call", json!({ "name": "ask_roots" }));
    session
}

/// A form with a field of each kind.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema matters")]
struct Form {
    /// Who
    #[schemars(title = "Name", length(min = 1, max = 80))]
    name: String,
    #[schemars(email)]
    mail: Option<String>,
    #[schemars(range(min = 0, max = 9))]
    #[serde(default)]
    count: u8,
    weight: Option<f64>,
    #[serde(default)]
    gift: bool,
    colour: Colour,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Colour {
    #[schemars(title = "As red as it gets")]
    Red,
    #[schemars(title = "Green")]
    Green,
}

/// Ask with a form.
#[tool]
async fn ask_form(ctx: Context) -> Result<(), ToolError> {
    ctx.elicit::<Form>("Who?").await?;
    Ok(())
}

/// Ask the model.
#[tool]
async fn ask_model(ctx: Context) -> Result<(), ToolError> {
    let params = CreateMessageParams {
        system_prompt: Some("Be brief.".into()),
        temperature: Some(0.5),
        stop_sequences: vec!["\n".into()],
        ..CreateMessageParams::new([SamplingMessage::user("Why?"), SamplingMessage::assistant("Because")], 10)
    };
    ctx.sample(params).await?;
    Ok(())
}

/// Ask to open a page.
#[tool]
async fn ask_page(ctx: Context) -> Result<(), ToolError> {
    ctx.elicit_url("Sign in", "https://bank.example/").await?;
    Ok(())
}

/// Ask for the folders.
#[tool]
async fn ask_roots(ctx: Context) -> Result<(), ToolError> {
    ctx.roots().await?;
    Ok(())
}

/// Log something.
#[tool]
async fn chatter(ctx: Context) -> Result<(), ToolError> {
    ctx.log(LoggingLevel::Info, "words").await?;
    ctx.log_as("db", LoggingLevel::Emergency, json!({ "rows": [1, null] })).await?;
    Ok(())
}

/// Change everything that can change.
#[tool]
async fn change_all(server: State<ServerHandle>) -> Result<(), ToolError> {
    for enabled in [false, true] {
        server.enable_tool("chatter", enabled);
        server.enable_prompt("talk", enabled);
        server.enable_resource("shop://sign", enabled);
    }
    server.resource_updated("shop://catalog");
    Ok(())
}

fn annotations() -> Annotations {
    Annotations {
        audience: vec![Role::User, Role::Assistant],
        priority: Some(1.0),
        last_modified: Some("2026-01-02T03:04:05Z".into()),
    }
}

fn icon() -> Icon {
    Icon {
        src: "https://x.example/i.svg".into(),
        mime_type: None,
        sizes: vec!["any".into()],
        theme: Some("dark".into()),
    }
}

fn second_server() -> Server {
    let mut catalog = Resource::builder("shop://catalog");
    catalog.title("Catalog").description("All.").mime_type("text/plain").size(3).annotations(annotations());
    catalog.icon(icon()).meta(json!({ "com.example/a": [1] }));
    let catalog = catalog.read(|(), _: Context| async { "tea" });
    let sign = Resource::builder("shop://sign").read(|(), _: Context| async { vec![0_u8, 255] });
    let mut order = Resource::builder("shop://orders/{id}");
    order.title("Order").description("One.").annotations(annotations()).icon(icon());
    let order = order.read(|id: HashMap<String, String>, _: Context| async move { Json(id) });
    let mut talk = Prompt::builder("talk");
    talk.title("Talk").description("Talk.").icon(icon()).meta(json!({ "com.example/b": true }));
    talk.argument(PromptArgument {
        title: Some("About".into()),
        description: Some("What.".into()),
        required: Some(true),
        ..PromptArgument::new("about")
    });
    talk.complete("about", |typed: String| vec![typed + "ea"]);
    let talk = talk.get(|about: HashMap<String, String>, _: Context| async move {
        vec![
            PromptMessage::user(about["about"].clone()),
            PromptMessage::assistant(ImageContent::new([1], "image/png")),
            PromptMessage::user(AudioContent::new([1], "audio/wav")),
            PromptMessage::user(ResourceLink::new("shop://catalog", "catalog")),
            PromptMessage::user(EmbeddedResource::new(
                ResourceContents::blob("shop://sign", [1]).with_mime_type("a/b"),
            )),
        ]
    });
    let server = Server::new("everything").logging().cache(Duration::from_secs(1), CacheScope::Public);
    let handle = server.handle();
    server
        .state(handle)
        .resource(catalog)
        .resource(sign)
        .resource(order)
        .prompt(talk)
        .tool(ask_form)
        .tool(ask_model)
        .tool(ask_page)
        .tool(ask_roots)
        .tool(chatter)
        .tool(change_all)
}

// rows: RTYPE-1, ERR-7, RSC-2, RSC-3, RSC-5, PRMT-2, PRMT-4, PRMT-6, CMPL-3, LOG-4, CACHE-1, ELIC-5, ELIC-6, ELIC-7, ELIC-8, ELIC-13, SAMP-3, SAMP-4, MRTR-1, MRTR-4, SUB-3, SUB-5, SUB-9, SUB-11, CONT-2, ICON-1, LEG-4, LEG-5, LEG-6, LEG-12, LEG-13, LEG-14
#[test]
fn resources_prompts_questions_and_changes_fit_the_schema_of_their_revision() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let Some(definitions) = Definitions::of(version) else { continue };
        let session = second_session(version);
        let input: String = session.iter().map(|request| format!("{request}\n")).collect();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for line in exchange(second_server(), &input) {
            let message: Value = serde_json::from_str(&line).unwrap();
            let name = match (message["method"].as_str(), message.get("error")) {
                (Some(method), _) => message_name(method),
                (None, Some(error)) if error["code"] == -32021 => "MissingRequiredClientCapabilityError",
                (None, Some(_)) if version < "2025-11-25" => "JSONRPCError",
                (None, Some(_)) => "JSONRPCErrorResponse",
                (None, None) => {
                    let request = session.iter().find(|request| request["id"] == message["id"]).unwrap();
                    let result = &message["result"];
                    let name = if result["resultType"] == "input_required" {
                        "InputRequiredResult"
                    } else {
                        result_name(request["method"].as_str().unwrap())
                    };
                    definitions.check(name, result);
                    name
                }
            };
            if !name.ends_with("Result") {
                definitions.check(name, &message);
            }
            *seen.entry(name.to_owned()).or_default() += 1;
        }
        println!("{version}: {seen:?}");
        let times = |name: &str| seen.get(name).copied().unwrap_or_default();
        let (modern, forms, pages) = (version == "2026-07-28", version >= "2025-06-18", version == "2025-11-25");
        assert_eq!(times("LoggingMessageNotification"), 2, "{version}");
        assert_eq!(times("ResourceUpdatedNotification"), 1, "{version}");
        assert!(times("ToolListChangedNotification") >= 1, "{version}");
        assert_eq!(times("InputRequiredResult"), if modern { 4 } else { 0 });
        assert_eq!(times("SubscriptionsListenResult"), usize::from(modern));
        assert_eq!(times("MissingRequiredClientCapabilityError"), usize::from(modern));
        assert_eq!(times("CreateMessageRequest"), usize::from(!modern), "{version}");
        assert_eq!(times("ListRootsRequest"), usize::from(!modern), "{version}");
        let elicited = usize::from(!modern && forms) + usize::from(pages);
        assert_eq!(times("ElicitRequest"), elicited, "{version}");
    }
}

fn message_name(method: &str) -> &'static str {
    match method {
        "notifications/message" => "LoggingMessageNotification",
        "notifications/cancelled" => "CancelledNotification",
        "notifications/resources/updated" => "ResourceUpdatedNotification",
        "notifications/resources/list_changed" => "ResourceListChangedNotification",
        "notifications/tools/list_changed" => "ToolListChangedNotification",
        "notifications/prompts/list_changed" => "PromptListChangedNotification",
        "notifications/subscriptions/acknowledged" => "SubscriptionsAcknowledgedNotification",
        "elicitation/create" => "ElicitRequest",
        "sampling/createMessage" => "CreateMessageRequest",
        "roots/list" => "ListRootsRequest",
        method => panic!("a server sends no {method}"),
    }
}

fn result_name(method: &str) -> &'static str {
    match method {
        "initialize" => "InitializeResult",
        "logging/setLevel" | "resources/subscribe" => "EmptyResult",
        "server/discover" => "DiscoverResult",
        "subscriptions/listen" => "SubscriptionsListenResult",
        "resources/list" => "ListResourcesResult",
        "resources/templates/list" => "ListResourceTemplatesResult",
        "resources/read" => "ReadResourceResult",
        "prompts/list" => "ListPromptsResult",
        "prompts/get" => "GetPromptResult",
        "completion/complete" => "CompleteResult",
        "tools/call" => "CallToolResult",
        method => panic!("{method} has a result"),
    }
}

// rows: BASE-1, BASE-6, ERR-8, LIFE-2, LIFE-7, VER-5, PROG-2, TOOL-4, TOOL-13, CONT-1, CONT-2, CONT-3, CONT-4, CACHE-1, ICON-1, LEG-12
#[test]
fn every_message_fits_the_schema_of_its_revision() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let Some(definitions) = Definitions::of(version) else { continue };
        let session = session(version);
        let input: String = session.iter().map(|request| format!("{request}\n")).collect();
        let server = tools::server().tool(tools::detailed()).page_size(20).instructions("Ask.");
        let (mut answered, mut reports) = (0, 0);
        for line in exchange(server, &input) {
            let message: Value = serde_json::from_str(&line).unwrap();
            if message.get("method").is_some() {
                definitions.check("ProgressNotification", &message);
                definitions.check("JSONRPCNotification", &message);
                reports += 1;
                continue;
            }
            let request = session.iter().find(|request| request["id"] == message["id"]).unwrap();
            answered += 1;
            if message.get("error").is_some() {
                let name = if version < "2025-11-25" { "JSONRPCError" } else { "JSONRPCErrorResponse" };
                definitions.check(name, &message);
                if message["error"]["code"] == -32022 {
                    definitions.check("UnsupportedProtocolVersionError", &message);
                }
                continue;
            }
            let name = if version < "2025-11-25" { "JSONRPCResponse" } else { "JSONRPCResultResponse" };
            definitions.check(name, &message);
            let result = match request["method"].as_str().unwrap() {
                "initialize" => "InitializeResult",
                "ping" => "EmptyResult",
                "server/discover" => "DiscoverResult",
                "tools/list" => "ListToolsResult",
                "tools/call" => "CallToolResult",
                method => panic!("{method} has a result"),
            };
            definitions.check(result, &message["result"]);
            if version == "2026-07-28" {
                definitions.check(&format!("{result}Response"), &message);
            }
        }
        assert_eq!(answered, session.len(), "{version}");
        assert_eq!(reports, 14, "{version}");
    }
}

// rows: BASE-2
#[test]
fn the_session_is_one_that_the_schemas_allow() {
    for version in ["2025-11-25", "2026-07-28"] {
        let Some(definitions) = Definitions::of(version) else { continue };
        for request in session(version) {
            definitions.check("JSONRPCRequest", &request);
        }
    }
}

/// Export orders to the accounting system, one at a time.
#[tool]
async fn export_orders(
    /// The orders to export, such as `A17`.
    order_ids: Vec<String>,
    ctx: Context,
) -> Result<String, ToolError> {
    let total = order_ids.len();
    for (done, order_id) in (1..).zip(&order_ids) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        ctx.report_progress(done, total, format!("exported {order_id}")).await?;
    }
    Ok(format!("Exported {total} orders."))
}

/// What two servers that do the same have in common in a message.
fn shape(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap();
    if message.get("method").is_some() {
        return message;
    }
    let result = &message["result"];
    let names = |list: &Value| -> Value {
        list.as_array().map(|list| list.iter().map(|tool| tool["name"].clone()).collect()).unwrap_or_default()
    };
    json!({
        "id": message["id"],
        "error": message["error"]["code"],
        "content": result["content"],
        "failed": result.get("isError").unwrap_or(&json!(false)),
        "tools": names(&result["tools"]),
        "resultType": result["resultType"],
        "supportedVersions": result["supportedVersions"],
        "protocolVersion": result["protocolVersion"],
        "server": result["serverInfo"]["name"],
        "has tools": result["capabilities"].get("tools").is_some(),
        "ttlMs": result["ttlMs"],
        "cacheScope": result["cacheScope"],
        "serverInfo": result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
    })
}

// rows: ERA-1, PROG-2, PROG-3
#[test]
fn recorded_sessions_of_another_server_go_the_same_way() {
    for mode in ["2026-07-28", "legacy", "auto"] {
        let Some(path) = shared(&format!("wire/python-2.3.0-stdio-{mode}-with-callback.jsonl")) else { continue };
        let recorded = std::fs::read_to_string(path).unwrap();
        let recorded: Vec<Value> = recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(recorded.len() >= 7);
        block_on(async {
            let mut wire = Wire::serve(Server::new("Shop support").tool(export_orders));
            for entry in &recorded {
                let line = entry["line"].as_str().unwrap();
                if entry["dir"] == "client->server" {
                    wire.send(format!("{line}\n").as_bytes()).await;
                } else {
                    let ours = wire.line().await.expect("another line");
                    assert_eq!(shape(&ours), shape(line), "{mode}:\nours  {ours}\ntheirs {line}");
                }
            }
            wire.end().await;
            assert_eq!(wire.line().await, None, "{mode}: nothing more");
            wire.ended().await.unwrap();
        });
    }
}
