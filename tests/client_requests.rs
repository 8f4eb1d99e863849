//! All that a client asks a server for: lists, resources, prompts, completions, methods of extensions, and tools whose
//! results are checked. Against our own server, and against fakes that say what no good server would.

mod support;

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_server::client::{CallError, ConnectError, Pages};
use mcp_server::prelude::*;
use mcp_server::protocol::{Completion, ErrorCode, LoggingLevel, ProtocolVersion, Role, Tool};
use mcp_server::{Completing, Extension, apps};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use support::scripted::{Fake, connect};
use tokio::net::TcpListener;

const MODERN: &str = "2026-07-28";

async fn modern() -> (Client, Fake) {
    connect(Client::builder(), MODERN).await
}

// ---- Our own server ------------------------------------------------------------------------------------------------

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Price {
    cents: u64,
}

/// What an article costs.
#[tool(read_only)]
async fn price(sku: String) -> Result<Json<Price>, ToolError> {
    if sku == "none" { Err(ToolError::new("no such sku")) } else { Ok(Json(Price { cents: 499 })) }
}

/// Export orders.
#[tool]
async fn export_orders(order_ids: Vec<String>, ctx: Context) -> Result<String, ToolError> {
    let total = order_ids.len();
    for (done, order_id) in (1..).zip(&order_ids) {
        ctx.report_progress(done, total, format!("exported {order_id}")).await?;
        ctx.log(LoggingLevel::Debug, format!("{order_id} is gone")).await?;
    }
    ctx.log(LoggingLevel::Warning, "the folder is full").await?;
    Ok(format!("Exported {total} orders."))
}

/// What the request says about itself.
#[tool]
async fn trace(ctx: Context) -> String {
    serde_json::to_string(&ctx.meta()).unwrap()
}

/// All that is sold.
#[resource("shop://catalog", mime_type = "text/plain")]
async fn catalog() -> &'static str {
    "tea, coffee"
}

/// One order; `None` is an order that does not exist.
#[resource("shop://orders/{id}")]
async fn order(id: u32, ctx: Context) -> Result<Option<String>, RequestError> {
    ctx.report_progress(1, 1, "looked it up").await?;
    Ok((id < 100).then(|| format!("order {id}")))
}

/// A street of a town.
#[resource("map://{town}/{street}")]
async fn street(town: String, #[resource(complete = streets)] street: String) -> String {
    format!("{street} in {town}")
}

async fn streets(completing: Completing) -> Vec<String> {
    let town = completing.arguments.get("town").map_or("nowhere", String::as_str);
    vec![format!("{}… in {town}", completing.value)]
}

/// Have a text translated.
#[prompt]
async fn translate(text: String, #[prompt(complete = languages)] language: String) -> String {
    format!("Translate into {language}: {text}")
}

fn languages(typed: String) -> Vec<&'static str> {
    ["Danish", "Dutch"].into_iter().filter(|name| name.starts_with(&typed)).collect()
}

fn shop() -> Server {
    Server::new("shop")
        .logging()
        .tool(price)
        .tool(export_orders)
        .tool(trace)
        .resource(catalog)
        .resource(order)
        .resource(street)
        .prompt(translate)
}

/// All revisions, each with a client of ours.
async fn in_each_version(mut check: impl AsyncFnMut(Client, ProtocolVersion)) {
    for version in ProtocolVersion::ALL {
        let client = Client::builder().protocol_versions([version]).connect(shop().page_size(1)).await.unwrap();
        check(client, version).await;
    }
}

// rows: RSC-2, RSC-3, RSC-4, RSC-5, RSC-6, ERR-12
#[tokio::test]
async fn all_that_our_own_server_offers_is_reached_in_each_version() {
    in_each_version(async |client, version| {
        let tools: Vec<_> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(tools, ["price", "export_orders", "trace"]);
        let resources = client.list_resources().await.unwrap();
        assert_eq!((resources.len(), resources[0].mime_type.as_deref()), (1, Some("text/plain")));
        let templates = client.list_resource_templates().await.unwrap();
        let templates: Vec<_> = templates.iter().map(|template| template.uri_template.as_str()).collect();
        assert_eq!(templates, ["shop://orders/{id}", "map://{town}/{street}"]);
        let prompts = client.list_prompts().await.unwrap();
        assert_eq!((prompts.len(), prompts[0].arguments.len()), (1, 2));

        assert_eq!(client.read_resource("shop://catalog").await.unwrap().text(), "tea, coffee");
        assert_eq!(client.read_resource("map://Odense/H%C3%B8jgade").await.unwrap().text(), "Højgade in Odense");
        let error = client.read_resource("shop://orders/100").await.unwrap_err();
        assert!(error.is_not_found(), "{version}: {error}");
        let CallError::Server(error) = error else { panic!("{error}") };
        let code = if version.is_modern() { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
        assert_eq!((error.code, &error.data.unwrap()["uri"]), (code, &json!("shop://orders/100")));

        let prompt = client.get_prompt("translate", json!({ "text": "tea", "language": "Danish" })).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("Translate into Danish: tea"));
        assert_eq!(prompt.messages[0].role, Role::User);
        let completion = client.complete_prompt("translate", "language", "Du").await.unwrap();
        assert_eq!(completion.values, ["Dutch"]);
        let completion = client.complete_resource("map://{town}/{street}", "street", "H").context([("town", "Odense")]);
        let town = if version >= ProtocolVersion::V2025_06_18 { "Odense" } else { "nowhere" };
        assert_eq!(completion.await.unwrap().values, [format!("H… in {town}")]);
    })
    .await;
}

#[tokio::test]
async fn every_request_can_be_a_task() {
    let client = Arc::new(Client::connect(shop()).await.unwrap());
    let asking = Arc::clone(&client);
    let asked = tokio::spawn(async move {
        let mut tools = asking.tools();
        while let Some(tool) = tools.next().await {
            tool.unwrap();
        }
        asking.list_prompts().await.unwrap();
        asking.read_resource("shop://catalog").await.unwrap();
        asking.get_prompt("translate", json!({ "text": "", "language": "" })).await.unwrap();
        asking.complete_prompt("translate", "language", "D").context([("text", "tea")]).await.unwrap();
        asking.request::<Value>("tools/list", ()).await.unwrap();
        assert!(asking.ping().await.is_err());
        let checked = asking.call_tool("price", json!({ "sku": "T1" })).check_output();
        checked.on_progress(async move |_| {}).await.unwrap();
        asking.call_tool("price", json!({ "sku": "T1" })).check_output().record().await.text()
    });
    assert_eq!(asked.await.unwrap(), r#"{"cents":499}"#);
}

// ---- Lists ---------------------------------------------------------------------------------------------------------

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

fn tools(names: &[&str], next: Option<&str>) -> Value {
    let tools: Vec<Value> = names.iter().map(|name| tool(name)).collect();
    match next {
        Some(next) => json!({ "tools": tools, "nextCursor": next }),
        None => json!({ "tools": tools }),
    }
}

async fn next(pages: &mut Pages<'_, Tool>) -> String {
    pages.next().await.unwrap().unwrap().name
}

// rows: PAGE-3, PAGE-4
#[tokio::test]
async fn a_page_is_asked_for_when_the_items_before_it_are_taken() {
    let (client, mut fake) = modern().await;
    let mut pages = client.tools();
    let first = next(&mut pages);
    assert_eq!(tokio::join!(first, fake.answer("tools/list", tools(&["a", "b"], Some("")))).0, "a");
    // No message for this one.
    assert_eq!(next(&mut pages).await, "b");
    {
        // As a stream of the ecosystem; an empty page is not the end.
        let mut stream = pin!(&mut pages);
        let third = std::future::poll_fn(|cx| futures_core::Stream::poll_next(stream.as_mut(), cx));
        let serve = async {
            assert_eq!(fake.answer("tools/list", tools(&[], Some("x"))).await["cursor"], "");
            assert_eq!(fake.answer("tools/list", tools(&["c"], Some("y"))).await["cursor"], "x");
        };
        assert_eq!(tokio::join!(third, serve).0.unwrap().unwrap().name, "c");
    }
    // A future that is dropped loses nothing; a list that is dropped is given up.
    assert!(tokio::time::timeout(Duration::ZERO, pages.next()).await.is_err());
    let (last, _) = tokio::join!(next(&mut pages), fake.answer("tools/list", tools(&["d"], Some("z"))));
    assert_eq!(last, "d");
    assert!(tokio::time::timeout(Duration::ZERO, pages.next()).await.is_err());
    let asked = fake.expect("tools/list").await;
    drop(pages);
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], asked["id"]);
}

// rows: CACHE-9
#[tokio::test]
async fn a_list_whose_cursor_is_too_old_is_begun_anew_once_and_gives_nothing_twice() {
    let (client, mut fake) = modern().await;
    let mut pages = client.tools();
    let mut given = Vec::new();
    let take = async {
        while let Some(tool) = pages.next().await {
            given.push(tool.map(|tool| tool.name));
        }
    };
    let serve = async {
        fake.answer("tools/list", tools(&["a", "b"], Some("2"))).await;
        assert_eq!(fake.refuse("tools/list", -32602).await["cursor"], "2");
        let params = fake.answer("tools/list", tools(&["b", "c"], Some("2"))).await;
        assert_eq!(params.get("cursor"), None);
        fake.answer("tools/list", tools(&["a", "d"], Some("3"))).await;
        // Not once more.
        fake.refuse("tools/list", -32602).await;
    };
    tokio::join!(take, serve);
    let (last, names) = given.split_last().unwrap();
    let names: Vec<_> = names.iter().map(|name| name.as_deref().unwrap()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert!(matches!(last, Err(CallError::Server(error)) if error.code == ErrorCode::INVALID_PARAMS));
    assert!(pages.next().await.is_none());

    // The whole list is that of the second time.
    let serve = async {
        fake.answer("tools/list", tools(&["a", "b"], Some("2"))).await;
        fake.refuse("tools/list", -32602).await;
        fake.answer("tools/list", tools(&["b", "c"], None)).await;
    };
    let (all, ()) = tokio::join!(client.list_tools(), serve);
    assert_eq!(all.unwrap().iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["b", "c"]);

    // Without a cursor it is an error like any other, and so are others with one.
    let (all, _) = tokio::join!(client.list_tools(), fake.refuse("tools/list", -32602));
    assert!(matches!(all, Err(CallError::Server(_))));
    let serve = async {
        fake.answer("tools/list", tools(&["a"], Some("2"))).await;
        fake.refuse("tools/list", -32603).await;
    };
    assert!(tokio::join!(client.list_tools(), serve).0.is_err());
}

// rows: PAGE-4
#[tokio::test]
async fn a_list_without_end_ends() {
    let (client, mut fake) = modern().await;
    let serve = async {
        for page in 0..=10_000 {
            fake.answer("tools/list", tools(&["a"], Some(&page.to_string()))).await;
        }
    };
    let (all, ()) = tokio::join!(client.list_tools(), serve);
    assert_eq!(all.unwrap_err().to_string(), "the list does not end: there are more than 10000 pages");
}

#[tokio::test]
async fn what_can_not_be_read_of_a_list_is_named() {
    async fn error<T>(
        fake: &mut Fake,
        listed: impl Future<Output = Result<T, CallError>>,
        method: &str,
        result: Value,
    ) -> String {
        let (listed, _) = tokio::join!(listed, fake.answer(method, &result));
        let error = listed.map(drop).unwrap_err().to_string();
        error.strip_prefix("the answer can't be read: ").unwrap_or(&error).to_owned()
    }
    let (client, mut fake) = modern().await;
    let fake = &mut fake;
    for (result, expected) in [
        (json!({}), "tools: missing"),
        (json!({ "tools": null }), "tools: invalid type: null, expected a sequence"),
        (json!({ "tools": {} }), "tools: invalid type: map, expected a sequence"),
        (json!({ "tools": [tool("a"), ["a", {}]] }), "tools[1]: expected an object, got `[\"a\",{}]`"),
        (json!({ "tools": [tool("a"), { "name": "b" }] }), "tools[1].inputSchema: missing"),
        (json!({ "tools": [], "nextCursor": 7 }), "nextCursor: invalid type: integer `7`, expected a string"),
        (json!({ "resources": [] }), "tools: missing"),
    ] {
        assert_eq!(error(fake, client.list_tools(), "tools/list", result).await, expected);
    }
    let result = json!({ "resources": [{ "name": "a" }] });
    assert_eq!(error(fake, client.list_resources(), "resources/list", result).await, "resources[0].uri: missing");
    let result = json!({ "resourceTemplates": [{ "name": "a" }] });
    let method = "resources/templates/list";
    let expected = "resourceTemplates[0].uriTemplate: missing";
    assert_eq!(error(fake, client.list_resource_templates(), method, result).await, expected);
    let result = json!({ "prompts": [{ "name": "a", "arguments": [{ "name": 7 }] }] });
    let expected = "prompts[0].arguments[0].name: invalid type: integer `7`, expected a string";
    assert_eq!(error(fake, client.list_prompts(), "prompts/list", result).await, expected);
}

// rows: RSC-2, RSC-3
#[tokio::test]
async fn a_member_that_is_null_is_as_good_as_none() {
    let (client, mut fake) = modern().await;
    let odd = json!({
        "name": "a", "uri": "shop://a", "uriTemplate": "shop://{a}", "inputSchema": {}, "outputSchema": null,
        "title": null, "description": null, "mimeType": null, "size": null, "icons": null, "_meta": null,
        "arguments": null, "annotations": { "audience": null, "priority": null, "title": null }, "novel": null,
    });
    let (tools, _) = tokio::join!(client.list_tools(), fake.answer("tools/list", json!({ "tools": [odd] })));
    assert!(tools.unwrap()[0].icons.is_empty());
    let result = json!({ "resources": [odd] });
    let (resources, _) = tokio::join!(client.list_resources(), fake.answer("resources/list", &result));
    assert_eq!(resources.unwrap()[0].size, None);
    let result = json!({ "resourceTemplates": [odd] });
    let (templates, _) =
        tokio::join!(client.list_resource_templates(), fake.answer("resources/templates/list", &result));
    assert_eq!(templates.unwrap()[0].uri_template, "shop://{a}");
    let (prompts, _) = tokio::join!(client.list_prompts(), fake.answer("prompts/list", json!({ "prompts": [odd] })));
    assert!(prompts.unwrap()[0].arguments.is_empty());
}

// rows: TOOL-8
#[tokio::test]
async fn a_schema_is_listed_as_it_came() {
    let schema = json!({
        "type": "object",
        "$defs": { "place": { "$anchor": "placeDef", "type": "string" } },
        "properties": { "z": { "$ref": "#placeDef", "x-novel": [1, { "b": null, "a": 1e-7 }] }, "a": false },
        "allOf": [{ "anyOf": [{ "oneOf": [true, { "not": {} }] }] }],
        "if": {}, "then": { "$ref": "https://example.com/elsewhere.json" }, "else": { "required": ["z"] },
        "additionalProperties": { "$dynamicRef": "#node" },
    });
    let (client, mut fake) = modern().await;
    let mut listed = tool("a");
    listed["inputSchema"] = schema.clone();
    listed["outputSchema"] = schema.clone();
    listed["execution"] = json!({ "novel": true });
    let (tools, _) = tokio::join!(client.list_tools(), fake.answer("tools/list", json!({ "tools": [listed] })));
    let tools = tools.unwrap();
    assert_eq!(tools[0].input_schema.to_string(), schema.to_string());
    assert_eq!(tools[0].output_schema.as_ref().unwrap().to_string(), schema.to_string());
}

// ---- Resources, prompts, completions -------------------------------------------------------------------------------

// rows: ERR-12
#[tokio::test]
async fn a_resource_that_is_not_there_is_told_by_either_code() {
    let (client, mut fake) = modern().await;
    for (code, not_found) in [(-32602, true), (-32002, true), (-32603, false), (-32001, false)] {
        let read = client.read_resource("shop://nope").into_future();
        let (read, params) = tokio::join!(read, fake.refuse("resources/read", code));
        assert_eq!(params["uri"], "shop://nope");
        assert_eq!(read.unwrap_err().is_not_found(), not_found, "{code}");
    }
    let error = client.get_prompt("x", json!([])).await.unwrap_err();
    assert!(!error.is_not_found());
}

// rows: RSC-5, CONT-2
#[tokio::test]
async fn a_resource_of_many_parts_is_read_whatever_is_said_of_its_age() {
    let (client, mut fake) = modern().await;
    for (ttl, scope) in [(json!(-1), json!("galaxy")), (json!("x"), json!(7)), (json!(1e300), json!(null))] {
        let result = json!({
            "contents": [
                { "uri": "shop://a", "text": "one", "mimeType": "text/plain", "novel": 1 },
                { "uri": "shop://b", "blob": "AAE=", "_meta": { "x": 1 } },
            ],
            "ttlMs": ttl, "cacheScope": scope, "_meta": { "y": 2 },
        });
        let (read, _) =
            tokio::join!(client.read_resource("shop://").into_future(), fake.answer("resources/read", &result));
        let read = read.unwrap();
        assert_eq!((read.text().as_str(), read.contents[1].bytes()), ("one", Some(vec![0, 1])));
        assert_eq!((read.ttl_ms, read.cache_scope, &read.meta.unwrap()["y"]), (None, None, &json!(2)));
    }
    for (result, expected) in [
        (json!({}), "contents: missing"),
        (json!({ "contents": [{ "text": "a" }] }), "contents[0].uri: missing"),
        (json!({ "contents": ["a"] }), "contents[0]: expected an object, got `\"a\"`"),
    ] {
        let (read, _) =
            tokio::join!(client.read_resource("shop://").into_future(), fake.answer("resources/read", &result));
        assert_eq!(read.unwrap_err().to_string(), format!("the answer can't be read: {expected}"));
    }
}

// rows: CONT-1, CONT-3, CONT-4, CONT-5, PRMT-6
#[tokio::test]
async fn blocks_of_each_kind_arrive_in_a_prompt() {
    let (client, mut fake) = modern().await;
    let contents = json!([
        { "type": "text", "text": "a", "annotations": { "audience": ["user", "critic"], "priority": 0.5 } },
        { "type": "image", "data": "AAAA", "mimeType": "image/png" },
        { "type": "audio", "data": "AAAA", "mimeType": "audio/wav", "annotations": { "lastModified": "2026-07-28T00:00:00Z" } },
        { "type": "resource_link", "uri": "file:///a", "name": "a" },
        { "type": "resource", "resource": { "uri": "file:///a", "text": "t" }, "annotations": { "priority": 1.0 } },
        { "type": "video", "data": [1, { "a": null }] },
    ]);
    let messages: Vec<Value> =
        contents.as_array().unwrap().iter().map(|content| json!({ "role": "assistant", "content": content })).collect();
    let result = json!({ "description": "d", "messages": messages, "_meta": { "x": 1 } });
    let (prompt, _) =
        tokio::join!(client.get_prompt("p", json!({})).into_future(), fake.answer("prompts/get", &result));
    let prompt = prompt.unwrap();
    assert_eq!(serde_json::to_value(&prompt).unwrap(), result);

    for (result, expected) in [
        (
            json!({ "messages": [{ "role": "user", "content": { "type": "text" } }] }),
            "messages[0].content.text: missing",
        ),
        (json!({ "messages": [{ "role": "user", "content": {} }] }), "messages[0].content.type: missing"),
        (json!({ "messages": [{ "content": {} }] }), "messages[0].role: missing"),
        (
            json!({ "messages": [{ "role": "user", "content": "a" }] }),
            "messages[0].content: expected an object, got `\"a\"`",
        ),
    ] {
        let prompt = client.get_prompt("p", json!({})).into_future();
        let (prompt, _) = tokio::join!(prompt, fake.answer("prompts/get", &result));
        assert_eq!(prompt.unwrap_err().to_string(), format!("the answer can't be read: {expected}"));
    }
}

// rows: PRMT-3
#[tokio::test]
async fn arguments_of_a_prompt_are_texts_or_nothing_is_sent() {
    #[derive(Serialize)]
    struct Arguments {
        text: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        language: Option<&'static str>,
    }
    let (client, mut fake) = modern().await;
    for (arguments, expected) in [
        (json!({ "a": "x", "copies": 7 }), "the argument `copies` can't be sent: expected a string, got the number 7"),
        (json!({ "a": null }), "the argument `a` can't be sent: expected a string, got null; leave it out"),
        (json!({ "a": ["x"] }), "the argument `a` can't be sent: expected a string, got an array"),
        (json!([]), "the arguments must be a JSON object: they are an array"),
        (json!("x"), "the arguments must be a JSON object: they are the string \"x\""),
    ] {
        assert_eq!(client.get_prompt("p", arguments).await.unwrap_err().to_string(), expected);
    }
    let arguments = Arguments { text: "line\n\"line\"", language: None };
    let (prompt, params) = tokio::join!(
        client.get_prompt("a \"b\"", arguments).into_future(),
        fake.answer("prompts/get", json!({ "messages": [] }))
    );
    prompt.unwrap();
    assert_eq!((&params["name"], &params["arguments"]), (&json!("a \"b\""), &json!({ "text": "line\n\"line\"" })));
}

/// What a completion is asked for with, of a server of that revision.
async fn completing(fake: &mut Fake, call: impl IntoFuture<Output = Result<Completion, CallError>>) -> Value {
    let result = json!({ "completion": { "values": ["a"], "total": 3, "hasMore": true, "novel": 1 } });
    let (completion, mut params) = tokio::join!(call.into_future(), fake.answer("completion/complete", &result));
    let completion = completion.unwrap();
    assert_eq!((completion.values, completion.total, completion.has_more), (vec!["a".to_owned()], Some(3), Some(true)));
    params.as_object_mut().unwrap().remove("_meta");
    params
}

// rows: CMPL-2, CMPL-6
#[tokio::test]
async fn a_completion_names_what_is_typed_and_what_is_chosen_already() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN] {
        let (client, mut fake) = connect(Client::builder(), version).await;
        let reference = json!({ "type": "ref/prompt", "name": "a \"b\"" });
        let argument = json!({ "name": "n", "value": "v\n" });
        let params = completing(&mut fake, client.complete_prompt("a \"b\"", "n", "v\n")).await;
        assert_eq!(params, json!({ "ref": reference, "argument": argument }));

        let call = client.complete_resource("shop://{a}/{n}", "n", "v\n").context([("a", "1")]);
        let params = completing(&mut fake, call.context([("b", "2"), ("a", "3")])).await;
        let mut expected = json!({ "ref": { "type": "ref/resource", "uri": "shop://{a}/{n}" }, "argument": argument });
        if version >= "2025-06-18" {
            expected["context"] = json!({ "arguments": { "a": "3", "b": "2" } });
        }
        assert_eq!(params, expected, "{version}");
    }
    let (client, mut fake) = modern().await;
    let result = json!({ "completion": { "values": "a" } });
    let call = client.complete_prompt("p", "a", "").into_future();
    let error = tokio::join!(call, fake.answer("completion/complete", &result)).0.unwrap_err();
    assert!(matches!(&error, CallError::InvalidResult { path, .. } if path == "completion.values"), "{error}");
}

// ---- Any method ----------------------------------------------------------------------------------------------------

// rows: META-1, META-4
#[tokio::test]
async fn a_method_of_any_name_takes_an_object_or_nothing() {
    let (client, mut fake) = modern().await;
    for (params, reason) in [(json!([1]), "`[1]`"), (json!("x"), "`\"x\"`")] {
        let error = client.request::<Value>("com.example/x", params).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the arguments must be a JSON object: they are {reason}"));
    }
    let error = client.request::<Value>("x", json!({ "_meta": 7 })).await.unwrap_err();
    assert_eq!(error.to_string(), "the argument `_meta` can't be sent: expected an object, got the number 7");
    let error = client.request::<Value>("x", json!({ "_meta": { "progressToken": 7 } })).await.unwrap_err();
    assert!(matches!(error, CallError::InvalidMeta { .. }));

    let capabilities = json!({});
    for (params, expected) in [
        (json!({ "a": 1, "b": "_meta" }), json!({ "a": 1, "b": "_meta" })),
        (json!({}), json!({})),
        (json!(null), json!({})),
        (json!({ "a": [1], "_meta": { "com.example/x": 1 } }), json!({ "a": [1] })),
        (json!({ "_meta": null }), json!({})),
    ] {
        let call = client.request::<Value>("com.example/x", &params).meta("com.example/y", 2);
        let (result, mut sent) = tokio::join!(call.into_future(), fake.answer("com.example/x", json!({ "z": 1 })));
        assert_eq!(result.unwrap()["z"], 1);
        let meta = sent.as_object_mut().unwrap().remove("_meta").unwrap();
        assert_eq!(sent, expected);
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], MODERN);
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], capabilities);
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-server");
        assert_eq!(
            (&meta["com.example/y"], meta.get("com.example/x")),
            (&json!(2), params["_meta"].get("com.example/x"))
        );
        assert_eq!(fake.line.matches("_meta\":{").count(), 1, "{}", fake.line);
    }
}

// rows: RTYPE-2, RTYPE-3, RTYPE-4
#[tokio::test]
async fn a_kind_of_result_that_is_not_known_is_an_error_of_every_method() {
    async fn kind<T>(
        fake: &mut Fake,
        call: impl IntoFuture<Output = Result<T, CallError>>,
        method: &str,
        kind: &Value,
    ) -> Result<(), CallError> {
        let mut result = json!({
            "tools": [], "resources": [], "resourceTemplates": [], "prompts": [], "contents": [], "messages": [],
            "content": [], "completion": { "values": [] }, "requestState": "s",
            "inputRequests": { "where": { "method": "roots/list" } },
        });
        if !kind.is_null() {
            result["resultType"] = kind.clone();
        }
        tokio::join!(call.into_future(), fake.answer(method, &result)).0.map(drop)
    }
    let (client, mut fake) = modern().await;
    let fake = &mut fake;
    for result_type in [json!(null), json!("complete"), json!("zzz"), json!("task"), json!("input_required")] {
        let good = result_type.is_null() || result_type == "complete";
        let outcomes = [
            ("call", kind(fake, client.call_tool("x", json!({})), "tools/call", &result_type).await),
            ("get", kind(fake, client.get_prompt("x", json!({})), "prompts/get", &result_type).await),
            ("read", kind(fake, client.read_resource("x:x"), "resources/read", &result_type).await),
            ("tools", kind(fake, client.list_tools(), "tools/list", &result_type).await),
            ("resources", kind(fake, client.list_resources(), "resources/list", &result_type).await),
            ("templates", kind(fake, client.list_resource_templates(), "resources/templates/list", &result_type).await),
            ("prompts", kind(fake, client.list_prompts(), "prompts/list", &result_type).await),
            ("complete", kind(fake, client.complete_prompt("x", "y", ""), "completion/complete", &result_type).await),
            ("other", kind(fake, client.request::<Value>("x", ()), "x", &result_type).await),
        ];
        for (method, outcome) in outcomes {
            match outcome {
                Ok(()) => assert!(good, "{method}: {result_type}"),
                Err(CallError::InputRequired { request_state, .. }) => {
                    assert_eq!((result_type.as_str(), request_state.as_deref()), (Some("input_required"), Some("s")));
                    assert!(["call", "get", "read"].contains(&method), "{method}");
                }
                Err(CallError::UnknownResultType { result_type: named }) => {
                    assert!(!good && result_type == named, "{method}: {result_type}");
                    let may_ask = ["call", "get", "read"].contains(&method);
                    assert!(named != "input_required" || !may_ask, "{method}");
                }
                Err(error) => panic!("{method}: {error}"),
            }
        }
    }
}

#[tokio::test]
async fn only_older_servers_are_pinged() {
    let (client, mut fake) = connect(Client::builder(), "2025-11-25").await;
    let (pinged, _) = tokio::join!(client.ping().into_future(), fake.answer("ping", json!({})));
    pinged.unwrap();
    assert!(!fake.line.contains("_meta"), "{}", fake.line);
    let (pinged, _) = tokio::join!(client.ping().into_future(), fake.answer("ping", json!([])));
    assert!(pinged.is_err());

    let (client, mut fake) = modern().await;
    let error = client.ping().await.unwrap_err();
    assert_eq!(error.to_string(), "the protocol 2026-07-28 has no method `ping`");
    let (read, _) = tokio::join!(client.list_tools(), fake.answer("tools/list", tools(&[], None)));
    assert!(read.unwrap().is_empty());
}

// rows: META-1, META-10
#[tokio::test]
async fn what_a_call_says_of_itself_stands_once_and_arrives() {
    let level = "io.modelcontextprotocol/logLevel";
    let builder = Client::builder().on_log(LoggingLevel::Info, |_| {});
    let (client, mut fake) = connect(builder, MODERN).await;
    for (of_call, expected) in [(None, "info"), (Some("error"), "error")] {
        let mut call = client
            .call_tool("x", json!({}))
            .meta("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        if let Some(of_call) = of_call {
            call = call.meta(level, of_call);
        }
        let (result, params) = tokio::join!(call.into_future(), fake.answer("tools/call", json!({ "content": [] })));
        result.unwrap();
        let meta = &params["_meta"];
        assert_eq!((&meta[level], fake.line.matches(level).count()), (&json!(expected), 1), "{}", fake.line);
        assert_eq!(meta["traceparent"], "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
        assert!(meta["io.modelcontextprotocol/clientInfo"].is_object());
    }
    let client = Client::connect(shop()).await.unwrap();
    let call = client.call_tool("trace", json!({})).meta("tracestate", "a=1").meta("baggage", "k=v");
    let text = call.await.unwrap().text();
    assert!(text.contains("tracestate") && text.contains("a=1") && text.contains("k=v"), "{text}");
}

// ---- Extensions ----------------------------------------------------------------------------------------------------

// rows: EXT-1, EXT-3, EXT-4, EXT-5, APPS-1
#[tokio::test]
async fn an_extension_is_used_when_both_sides_declare_it() {
    let scales = || {
        Extension::new("com.example/scales", json!({ "unit": "g" })).method(
            "com.example/scales/weigh",
            |params: Value, _ctx: Context| async move {
                Ok::<_, RequestError>(json!({ "grams": params["parcel"].as_str().map(str::len) }))
            },
        )
    };
    let server = || Server::new("post office").extension(scales()).extension(apps::extension());
    let weigh = json!({ "parcel": "a book" });
    let client = Client::builder().extension("com.example/scales", json!({})).views().connect(server()).await.unwrap();
    assert_eq!(client.server_extension("com.example/scales"), Some(&json!({ "unit": "g" })));
    assert!(client.server_extension(apps::EXTENSION_ID).is_some());
    let result: Value = client.request("com.example/scales/weigh", &weigh).await.unwrap();
    assert_eq!(result["grams"], 6);

    // Without it the server says what is missing.
    let client = Client::connect(server()).await.unwrap();
    let error = client.request::<Value>("com.example/scales/weigh", &weigh).await.unwrap_err();
    assert!(matches!(error, CallError::Server(error) if error.code == ErrorCode::MISSING_CLIENT_CAPABILITY));

    // What a client declares, in both eras; nothing by itself.
    let expected = json!({ "io.modelcontextprotocol/ui": { "mimeTypes": ["text/html;profile=mcp-app"] } });
    let (client, mut fake) = connect(Client::builder().views(), MODERN).await;
    let (_, params) = tokio::join!(client.list_tools(), fake.answer("tools/list", tools(&[], None)));
    assert_eq!(params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"], expected);
    let (client, mut fake) = modern().await;
    let (_, params) = tokio::join!(client.list_tools(), fake.answer("tools/list", tools(&[], None)));
    assert_eq!(params["_meta"]["io.modelcontextprotocol/clientCapabilities"], json!({}));
    assert_eq!(client.server_extension(apps::EXTENSION_ID), None);
    let old = Client::builder().views().protocol_versions([ProtocolVersion::V2025_11_25]);
    let client = old.connect(server()).await.unwrap();
    assert!(client.server_extension(apps::EXTENSION_ID).is_some());
    assert!(client.server_extension("com.example/scales").is_none());
}

// rows: EXT-2
#[test]
fn an_extension_has_an_identifier_with_a_prefix() {
    for (id, settings, said) in [
        ("foo", json!({}), "it needs a prefix"),
        ("com..example/x", json!({}), "each label of its prefix"),
        ("com.example/x", json!([]), "must be a JSON object"),
    ] {
        let panicked = std::panic::catch_unwind(|| Client::builder().extension(id, settings)).unwrap_err();
        let text = panicked.downcast_ref::<String>().unwrap();
        assert!(text.contains(said) && text.contains(id), "{text}");
    }
}

// ---- Checked results -----------------------------------------------------------------------------------------------

fn promising(schema: &Value) -> Value {
    let mut listed = tool("x");
    listed["outputSchema"] = schema.clone();
    json!({ "tools": [tool("other"), listed] })
}

fn structured(value: Value) -> Value {
    json!({ "content": [{ "type": "text", "text": "words" }], "structuredContent": value })
}

/// Calls `x`, which was listed before.
async fn checked(client: &Client, fake: &mut Fake, result: &Value) -> Result<(), CallError> {
    let call = client.call_tool("x", json!({})).check_output();
    tokio::join!(call.into_future(), fake.answer("tools/call", result)).0.map(drop)
}

// rows: TOOL-15
#[tokio::test]
async fn a_structured_result_is_held_against_its_schema() {
    let schema = json!({ "type": "object", "properties": { "cents": { "type": "integer" } }, "required": ["cents"] });
    let (client, mut fake) = modern().await;
    // The tool is not known yet: the list is read first, once.
    let serve = async {
        fake.answer("tools/list", promising(&schema)).await;
        fake.answer("tools/call", structured(json!({ "cents": 499.0, "more": 1 }))).await;
    };
    let call = client.call_tool("x", json!({})).check_output();
    let (result, ()) = tokio::join!(call.into_future(), serve);
    // As it came: only a copy was held against the schema.
    assert_eq!(result.unwrap().structured_content.unwrap().get(), r#"{"cents":499.0,"more":1}"#);

    let error = checked(&client, &mut fake, &structured(json!({ "cents": "499" }))).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the result does not keep the `outputSchema` of the tool: structuredContent.cents: expected an integer, got the string \"499\""
    );
    let CallError::InvalidOutput { path, result, .. } = error else { panic!("{error}") };
    assert_eq!((path.as_str(), result.text().as_str()), ("structuredContent.cents", "words"));
    let error = checked(&client, &mut fake, &structured(json!(null))).await.unwrap_err();
    assert!(matches!(&error, CallError::InvalidOutput { path, .. } if path == "structuredContent"), "{error}");
    let error = checked(&client, &mut fake, &json!({ "content": [] })).await.unwrap_err();
    assert!(
        error.to_string().ends_with("structuredContent: missing, although the tool has an `outputSchema`"),
        "{error}"
    );

    // A failure is of no form, and what can't be read is an error of its own.
    let failed = json!({ "content": [{ "type": "text", "text": "no" }], "isError": true, "structuredContent": [7] });
    checked(&client, &mut fake, &failed).await.unwrap();
    let error = checked(&client, &mut fake, &json!({ "content": 7 })).await.unwrap_err();
    assert!(matches!(error, CallError::InvalidResult { .. }), "{error}");
    // Who does not ask for it gets what there is.
    let call = client.call_tool("x", json!({})).into_future();
    tokio::join!(call, fake.answer("tools/call", structured(json!(7)))).0.unwrap();

    // The server tells of other tools, and so the list is read once more.
    fake.send(json!({ "method": "notifications/tools/list_changed" })).await;
    let call = client.call_tool("x", json!({})).into_future();
    tokio::join!(call, fake.answer("tools/call", structured(json!(7)))).0.unwrap();
    let serve = async {
        fake.answer("tools/list", promising(&json!({ "type": "integer" }))).await;
        fake.answer("tools/call", structured(json!(7))).await;
    };
    let call = client.call_tool("x", json!({})).check_output();
    tokio::join!(call.into_future(), serve).0.unwrap();
}

// rows: TOOL-15
#[tokio::test]
async fn a_tool_that_promises_nothing_is_called_and_one_that_is_not_listed_is_not() {
    let (client, mut fake) = modern().await;
    let (listed, _) = tokio::join!(client.list_tools(), fake.answer("tools/list", tools(&["x"], None)));
    listed.unwrap();
    checked(&client, &mut fake, &structured(json!(7))).await.unwrap();
    checked(&client, &mut fake, &json!({ "content": [] })).await.unwrap();

    let call = client.call_tool("y", json!({})).check_output();
    let (result, _) = tokio::join!(call.into_future(), fake.answer("tools/list", tools(&["x"], None)));
    assert_eq!(
        result.unwrap_err().to_string(),
        "the tool `y` was not called, as its result can't be checked: the server does not list the tool"
    );
    // A list that fails is the outcome; what can't be sent reads no list.
    let call = client.call_tool("y", json!({})).check_output();
    let (result, _) = tokio::join!(call.into_future(), fake.refuse("tools/list", -32603));
    assert!(matches!(result, Err(CallError::Server(_))));
    let error = client.call_tool("y", json!([])).check_output().await.unwrap_err();
    assert!(matches!(error, CallError::InvalidArguments { .. }));
    // Given up while the list is read.
    let call = client.call_tool("y", json!({})).check_output().into_future();
    assert!(tokio::time::timeout(Duration::ZERO, call).await.is_err());
    let asked = fake.expect("tools/list").await;
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], asked["id"]);
}

// rows: TOOL-15
#[tokio::test]
async fn results_of_our_own_tools_keep_their_schemas_in_each_version() {
    in_each_version(async |client, _| {
        let result = client.call_tool("price", json!({ "sku": "T1" })).check_output().await.unwrap();
        assert_eq!(result.text(), r#"{"cents":499}"#);
        let result = client.call_tool("price", json!({ "sku": "none" })).check_output().await.unwrap();
        assert!(result.is_error);
        client.call_tool("trace", json!({})).check_output().await.unwrap();
    })
    .await;
}

// rows: JSCH-1, JSCH-3, JSCH-4, JSCH-6
#[tokio::test]
async fn a_schema_that_can_not_be_enforced_is_refused_and_nothing_is_fetched() {
    let canary = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/schema.json", canary.local_addr().unwrap());
    let cases = [
        (json!({ "$ref": url }), "leads out of this document, and nothing is fetched"),
        (json!({ "properties": { "a": { "$ref": url } } }), "leads out of this document"),
        (json!({ "$ref": "#/$defs/none" }), "leads nowhere"),
        (json!({ "$ref": "#none" }), "leads nowhere"),
        (json!({ "$schema": "https://json-schema.org/draft/2019-09/schema" }), "the dialect"),
        (json!({ "$schema": url }), "the dialect"),
        (json!({ "type": "objekt" }), "`/type`"),
        (json!({ "$ref": "#" }), "leads back to itself"),
        (json!(true), "a schema is an object"),
    ];
    let (client, mut fake) = modern().await;
    for (schema, expected) in cases {
        let call = client.call_tool("x", json!({})).check_output();
        let serve = async {
            fake.send(json!({ "method": "notifications/tools/list_changed" })).await;
            // So that the notification has been read.
            fake.answer("x", json!({})).await;
        };
        tokio::join!(client.request::<Value>("x", ()).into_future(), serve).0.unwrap();
        let (result, _) = tokio::join!(call.into_future(), fake.answer("tools/list", promising(&schema)));
        let error = result.unwrap_err();
        assert!(matches!(&error, CallError::OutputSchema { tool, .. } if tool == "x"), "{schema}: {error}");
        assert!(error.to_string().contains(expected), "{schema}: {error}");
        // The tool can be called without a check, and is listed.
        let call = client.call_tool("x", json!({})).into_future();
        tokio::join!(call, fake.answer("tools/call", structured(json!(7)))).0.unwrap();
    }
    let knocked = tokio::time::timeout(Duration::from_millis(50), canary.accept()).await;
    assert!(knocked.is_err(), "somebody has fetched a schema");
}

// rows: JSCH-1, JSCH-5, JSCH-6
#[tokio::test]
async fn both_dialects_are_enforced_within_limits() {
    let deep = (0..200).fold(json!({ "type": "string" }), |inner, _| json!({ "not": inner }));
    // More ways to read a value than anyone has time for, and each of them is wrong.
    let mut ways = json!({ "a13": { "type": "string" } });
    for level in 0..13 {
        let next = json!({ "$ref": format!("#/$defs/a{}", level + 1) });
        ways[format!("a{level}")] = json!({ "anyOf": [next, next] });
    }
    let wide = json!({ "$defs": ways, "$ref": "#/$defs/a0" });
    let (client, mut fake) = modern().await;
    for (schema, value, expected) in [
        (
            json!({ "prefixItems": [{ "type": "string" }], "items": false }),
            json!([7]),
            "structuredContent[0]: expected a string",
        ),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": [{ "type": "string" }] }),
            json!([7]),
            "structuredContent[0]: expected a string",
        ),
        (json!({ "$defs": { "a": { "$anchor": "n", "type": "null" } }, "$ref": "#n" }), json!(7), "expected null"),
        (wide, json!(7), "too many ways to read this value"),
        (deep, json!(7), "recursion limit exceeded"),
    ] {
        fake.send(json!({ "method": "notifications/tools/list_changed" })).await;
        tokio::join!(client.request::<Value>("x", ()).into_future(), fake.answer("x", json!({}))).0.unwrap();
        let call = client.call_tool("x", json!({})).check_output();
        let serve = async {
            fake.answer("tools/list", promising(&schema)).await;
            // The list of such a depth can't be read in the first place.
            if expected == "recursion limit exceeded" {
                return;
            }
            let request = fake.expect("tools/call").await;
            fake.send(json!({ "id": request["id"], "result": structured(value) })).await;
        };
        let (result, ()) = tokio::join!(call.into_future(), serve);
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected) && error.len() < 1000, "{error}");
    }
}

// ---- The test kit --------------------------------------------------------------------------------------------------

// rows: PROG-2, LOG-4
#[tokio::test]
async fn a_recorded_call_has_its_reports_its_logs_and_its_result() {
    in_each_version(async |client, version| {
        let call = client.call_tool("export_orders", json!({ "order_ids": ["A17", "B42"] })).record().await;
        // A message belongs to a report since 2025-03-26.
        if version > ProtocolVersion::V2024_11_05 {
            assert_eq!(call.reports(), ["1/2 exported A17", "2/2 exported B42"]);
        }
        assert_eq!(call.progress()[1].done, 2.0);
        assert_eq!(call.text(), "Exported 2 orders.");
        assert_eq!(call.result().content.len(), 1);
        if version.is_modern() {
            assert_eq!(call.logs(), ["debug: A17 is gone", "debug: B42 is gone", "warning: the folder is full"]);
            assert_eq!(call.log_messages()[2].level, LoggingLevel::Warning);
        } else {
            // Older ones log for who has asked for it when the connection was made.
            assert!(call.logs().is_empty());
        }
        assert_eq!(call.outcome().unwrap().text(), "Exported 2 orders.");

        let call = client.read_resource("shop://orders/17").record().await;
        assert_eq!((call.text().as_str(), call.reports().len()), ("order 17", 1));
        let call = client.get_prompt("translate", json!({ "text": "tea", "language": "Danish" })).record().await;
        assert_eq!(call.text(), "Translate into Danish: tea");
        assert!(client.read_resource("shop://orders/100").record().await.error().is_not_found());
        let call = client.call_tool("price", json!({ "sku": "none" })).record().await;
        assert_eq!(call.failure(), "no such sku");
        let call = client.call_tool("price", json!({ "sku": "T1" })).check_output().record().await;
        if version >= ProtocolVersion::V2025_06_18 {
            assert_eq!(call.structured::<Price>(), Price { cents: 499 });
        }
    })
    .await;
}

#[tokio::test]
async fn a_recorded_call_keeps_to_the_level_of_its_client() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hook = Arc::clone(&heard);
    let builder =
        Client::builder().on_log(LoggingLevel::Warning, move |log| hook.lock().unwrap().push(log.to_string()));
    let client = builder.connect(shop()).await.unwrap();
    let orders = json!({ "order_ids": ["A17"] });
    let call = client.call_tool("export_orders", &orders).record().await;
    assert_eq!(call.logs(), ["warning: the folder is full"]);
    assert_eq!(*heard.lock().unwrap(), ["warning: the folder is full"]);
    // What is logged outside of the call is not its own.
    client.call_tool("export_orders", &orders).await.unwrap();
    let call = client.call_tool("trace", json!({})).record().await;
    assert_eq!((call.logs().len(), heard.lock().unwrap().len()), (0, 2));
    let call =
        client.call_tool("export_orders", &orders).meta("io.modelcontextprotocol/logLevel", "debug").record().await;
    assert_eq!(call.logs().len(), 2);

    let old = Client::builder().protocol_versions([ProtocolVersion::V2025_11_25]).on_log(LoggingLevel::Info, |_| {});
    let client = old.connect(shop()).await.unwrap();
    assert_eq!(client.call_tool("export_orders", &orders).record().await.logs(), ["warning: the folder is full"]);
}

#[tokio::test]
async fn an_assertion_that_fails_says_what_was_there_instead() {
    let client = Client::connect(shop()).await.unwrap();
    let good = client.call_tool("price", json!({ "sku": "T1" })).record().await;
    let failed = client.call_tool("price", json!({ "sku": "none" })).record().await;
    let refused = client.call_tool("nope", json!({})).record().await;
    let said = |looks: &dyn Fn()| {
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(looks)).unwrap_err();
        let text = panicked.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panicked.downcast_ref::<String>().cloned()).unwrap()
    };
    assert_eq!(said(&|| drop(good.failure())), r#"the tool has not failed, but says: {"cents":499}"#);
    assert_eq!(said(&|| _ = good.error()), "the call has a result, and no error");
    assert!(
        said(&|| drop(good.structured::<String>())).starts_with("the structured result can't be read: invalid type")
    );
    assert_eq!(said(&|| drop(failed.text())), "the tool has failed: no such sku");
    assert!(
        said(&|| drop(refused.text()))
            .starts_with("the call has no result: the server refused: no tool is named `nope`")
    );
}

// ---- Starting ------------------------------------------------------------------------------------------------------

#[tokio::test(start_paused = true)]
async fn a_server_in_memory_that_can_not_open_what_it_needs_says_so() {
    let started = tokio::time::Instant::now();
    let server =
        shop().lifespan(async || Err::<u8, _>(std::io::Error::other("the database is down")), async |_: Arc<u8>| {});
    let error = Client::connect(server).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the connection was closed: could not open what the server needs: the database is down"
    );
    assert!(matches!(error, ConnectError::Closed { .. }));
    assert_eq!(started.elapsed(), Duration::ZERO);

    let server = shop().lifespan(async || -> Result<u8, std::io::Error> { panic!("secret") }, async |_: Arc<u8>| {});
    let error = Client::connect(server).await.unwrap_err().to_string();
    assert!(error.ends_with("opening `u8` has panicked"), "{error}");
}
