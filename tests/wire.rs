//! All that a server writes fits the schemas that the specification comes with, and what other servers wrote before it.
//!
//! The schemas and the recordings are no part of this repository: they are looked for in `../shared` beside it, or where
//! `MCP_SHARED` says. Without them these tests say so, and pass.

mod support;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use mcp_server::Server;
use mcp_server::prelude::*;
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
