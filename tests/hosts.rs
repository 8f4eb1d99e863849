//! What known hosts refuse is in no list of any example, in any revision.

mod support;

use serde_json::{Value, json};
use support::hosts::{check_name, check_tool};
use support::{META, Wire, block_on_child, example};

/// The examples that the manifest names.
fn examples() -> Vec<String> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).unwrap();
    let (_, examples) = manifest.split_once("[[example]]").unwrap();
    let names = examples.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    names.filter(|name| !OVER_HTTP.contains(name)).map(ToOwned::to_owned).collect()
}

/// These have no standard input to be asked on. What they offer is the lesson's tool, or is for tests alone; one is no server.
const OVER_HTTP: [&str; 4] = ["http", "axum_mount", "under_load", "conformance_client"];

/// All items of a list, page after page. A method that the server does not have lists nothing.
async fn listed(wire: &mut Wire, version: &str, method: &str, list: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut params = json!({ "cursor": cursor });
        if version == "2026-07-28" {
            params["_meta"] = serde_json::from_str(META).unwrap();
        }
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        wire.send(format!("{request}\n").as_bytes()).await;
        let answer: Value = serde_json::from_str(&wire.line().await.unwrap()).unwrap();
        if answer["error"]["code"] == -32601 {
            return items;
        }
        items.extend(answer["result"][list].as_array().expect("a list").iter().cloned());
        cursor = answer["result"]["nextCursor"].clone();
        if cursor.is_null() {
            return items;
        }
    }
}

#[test]
fn no_example_offers_what_a_known_host_refuses() {
    let examples = examples();
    assert!(examples.len() >= 8, "{examples:?}");
    for name in &examples {
        let arguments: &[&str] = match name.as_str() {
            "export_orders" => &["serve"],
            "conformance" => &["stdio"],
            _ => &[],
        };
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
            block_on_child(async {
                let mut wire = Wire::spawn(example(name, arguments));
                if version != "2026-07-28" {
                    let client = json!({ "name": "t", "version": "1" });
                    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
                    let request = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
                    wire.send(format!("{request}\n").as_bytes()).await;
                    assert!(wire.line().await.unwrap().contains(version), "{name} speaks {version}");
                }
                let tools = listed(&mut wire, version, "tools/list", "tools").await;
                assert!(!tools.is_empty(), "{name} has tools");
                // The suite wants a schema that hosts refuse.
                let tools = tools.iter().filter(|tool| tool["name"] != "json_schema_2020_12_tool");
                tools.for_each(|tool| check_tool(tool, version));
                for prompt in listed(&mut wire, version, "prompts/list", "prompts").await {
                    check_name(prompt["name"].as_str().unwrap());
                    for argument in prompt["arguments"].as_array().into_iter().flatten() {
                        check_name(argument["name"].as_str().unwrap());
                    }
                }
                let resources = listed(&mut wire, version, "resources/list", "resources").await;
                assert!(resources.iter().all(|resource| resource["uri"].as_str().unwrap().contains("://")));
                let templates = listed(&mut wire, version, "resources/templates/list", "resourceTemplates").await;
                assert!(templates.iter().all(|template| template["uriTemplate"].as_str().unwrap().contains('{')));
                wire.end().await;
                wire.ended().await.unwrap();
            });
        }
    }
}
