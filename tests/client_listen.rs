//! Hearing of changes, from stateless servers and from older ones.

#[path = "support/fake.rs"]
mod fake;

use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use fake::{Fake, legacy_as, modern, modern_as};
use futures_core::Stream;
use mcp_server::client::{CallError, Subscription, SubscriptionEvent};
use mcp_server::prelude::*;
use mcp_server::protocol::{ProtocolVersion, SubscriptionFilter};
use mcp_server::{Change, ServerHandle, State};
use serde_json::Value;
use tokio::sync::Notify;

/// The key of the stream that a notification belongs to.
const ID: &str = "io.modelcontextprotocol/subscriptionId";

fn tools() -> SubscriptionFilter {
    SubscriptionFilter { tools_list_changed: true, ..SubscriptionFilter::default() }
}

fn resources(uris: &[&str]) -> SubscriptionFilter {
    let resource_subscriptions = uris.iter().map(|uri| (*uri).to_owned()).collect();
    SubscriptionFilter { resource_subscriptions, ..SubscriptionFilter::default() }
}

fn changed(change: Change) -> Option<SubscriptionEvent> {
    Some(SubscriptionEvent::Change(change))
}

fn resource(uri: &str) -> Change {
    Change::Resource(uri.to_owned())
}

async fn next(subscription: &mut Subscription<'_>) -> Option<SubscriptionEvent> {
    subscription.next().await.map(|event| event.unwrap())
}

/// A notification that belongs to a stream.
fn told(method: &str, id: &Value, mut params: Value) -> Value {
    params["_meta"] = json!({ ID: id });
    json!({ "jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params })
}

/// Opens a subscription, to which the fake agrees with `agreed`.
async fn listen<'c>(
    client: &'c Client,
    fake: &mut Fake,
    filter: SubscriptionFilter,
    agreed: Value,
) -> (Subscription<'c>, Value) {
    let serve = async {
        let request = fake.expect("subscriptions/listen").await;
        let id = request["id"].clone();
        fake.say(told("subscriptions/acknowledged", &id, json!({ "notifications": agreed }))).await;
        request
    };
    let (subscription, request) = tokio::join!(client.listen(filter), serve);
    (subscription.unwrap(), request)
}

// ---- Stateless servers ---------------------------------------------------------------------------------------------

// rows: SUB-1, SUB-7, SUB-10, META-7, STDIO-8
#[tokio::test]
async fn each_subscription_hears_what_is_its_own() {
    let (client, mut fake) = modern().await;
    let (mut first, one) = listen(&client, &mut fake, tools(), json!({ "toolsListChanged": true })).await;
    assert_eq!(one["params"]["notifications"], json!({ "toolsListChanged": true }));
    assert_eq!(one["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    let uris = json!({ "resourceSubscriptions": ["shop://a"] });
    let (mut second, two) = listen(&client, &mut fake, resources(&["shop://a"]), uris.clone()).await;
    assert_eq!(two["params"]["notifications"], uris);
    assert_ne!(one["id"], two["id"]);

    // As the id came, or as a text.
    fake.say(told("resources/updated", &two["id"].to_string().into(), json!({ "uri": "shop://a" }))).await;
    fake.say(told("tools/list_changed", &one["id"], json!({}))).await;
    // Of these nobody hears.
    fake.say(told("tools/list_changed", &json!(4711), json!({}))).await;
    fake.say(told("prompts/list_changed", &json!({}), json!({}))).await;
    fake.say(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
    fake.say(told("resources/updated", &two["id"], json!({ "uri": "shop://a/7" }))).await;
    fake.answers_a_call(&client).await;
    assert_eq!(next(&mut first).await, changed(Change::Tools));
    assert_eq!(next(&mut second).await, changed(resource("shop://a")));
    assert_eq!(next(&mut second).await, changed(resource("shop://a/7")));

    drop(first);
    let cancelled = fake.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"], json!({ "requestId": one["id"] }));
    // It may have crossed the cancellation, and is nobody's.
    fake.say(told("tools/list_changed", &one["id"], json!({}))).await;
    fake.say(told("resources/updated", &two["id"], json!({ "uri": "shop://a" }))).await;
    assert_eq!(next(&mut second).await, changed(resource("shop://a")));
    fake.answers_a_call(&client).await;
}

// rows: SUB-13
#[tokio::test]
async fn a_subscription_says_what_the_server_has_agreed_to() {
    let (client, mut fake) = modern().await;
    let asked = SubscriptionFilter { prompts_list_changed: true, ..tools() };
    let (subscription, _) = listen(&client, &mut fake, asked, json!({ "toolsListChanged": true, "new": 1 })).await;
    assert_eq!(*subscription.filter(), tools());
    drop(subscription);
    fake.expect("notifications/cancelled").await;
    let (subscription, _) = listen(&client, &mut fake, tools(), json!({})).await;
    assert_eq!(*subscription.filter(), SubscriptionFilter::default());
}

// rows: SUB-10, CANC-4, CANC-5
#[tokio::test]
async fn a_server_ends_a_subscription_by_an_answer_or_a_cancellation() {
    let (client, mut fake) = modern().await;
    for both in [false, true] {
        let (mut subscription, request) =
            listen(&client, &mut fake, tools(), json!({ "toolsListChanged": true })).await;
        let id = &request["id"];
        fake.say(told("tools/list_changed", id, json!({}))).await;
        if both {
            fake.reply(&request, json!({ "resultType": "complete", "_meta": { ID: id } })).await;
        }
        let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        fake.say(cancelled.clone()).await;
        // What came before the end is told before it.
        assert_eq!(next(&mut subscription).await, changed(Change::Tools));
        assert_eq!(next(&mut subscription).await, None);
        assert_eq!(next(&mut subscription).await, None);
        drop(subscription);
        fake.say(cancelled).await;
        // Nothing is cancelled that has ended.
        fake.answers_a_call(&client).await;
    }
    // It does not end what is no subscription.
    let call = client.call_tool("x", json!({}));
    let serve = async {
        let call = fake.expect("tools/call").await;
        let params = json!({ "requestId": call["id"] });
        fake.say(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
        fake.reply(&call, json!({ "content": [] })).await;
    };
    tokio::join!(call.into_future(), serve).0.unwrap();
}

#[tokio::test]
async fn a_subscription_ends_with_an_error_when_its_connection_does() {
    let (client, mut fake) = modern().await;
    let (mut subscription, request) = listen(&client, &mut fake, tools(), json!({ "toolsListChanged": true })).await;
    fake.say(told("tools/list_changed", &request["id"], json!({}))).await;
    drop(fake);
    assert_eq!(next(&mut subscription).await, changed(Change::Tools));
    assert!(matches!(subscription.next().await, Some(Err(CallError::Closed { .. }))));
    assert!(subscription.next().await.is_none());
    assert!(matches!(client.listen(tools()).await, Err(CallError::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_agree_is_left_in_time() {
    let (client, mut fake) = modern_as(Client::builder().request_timeout(Duration::from_secs(3))).await;
    let (result, request) = tokio::join!(client.listen(tools()), fake.expect("subscriptions/listen"));
    assert!(matches!(result, Err(CallError::Timeout { after, .. }) if after == Duration::from_secs(3)), "{result:?}");
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], request["id"]);

    let serve = async {
        let request = fake.expect("subscriptions/listen").await;
        let error = json!({ "code": -32601, "message": "no such method" });
        fake.say(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await;
    };
    let (result, ()) = tokio::join!(client.listen(tools()), serve);
    assert_eq!(result.unwrap_err().to_string(), "the server refused: no such method (code -32601)");

    let serve = async {
        let request = fake.expect("subscriptions/listen").await;
        fake.reply(&request, json!({ "resultType": "complete" })).await;
    };
    let (result, ()) = tokio::join!(client.listen(tools()), serve);
    assert_eq!(next(&mut result.unwrap()).await, None);

    // Once it has agreed there is no limit.
    let (mut subscription, request) = listen(&client, &mut fake, tools(), json!({ "toolsListChanged": true })).await;
    let later = async {
        tokio::time::sleep(Duration::from_secs(24 * 60 * 60)).await;
        fake.say(told("tools/list_changed", &request["id"], json!({}))).await;
    };
    let (event, ()) = tokio::join!(next(&mut subscription), later);
    assert_eq!(event, changed(Change::Tools));
}

#[tokio::test]
async fn a_slow_reader_finds_each_change_once_in_the_order_of_its_first_coming() {
    let (client, mut fake) = modern().await;
    let (mut subscription, request) = listen(&client, &mut fake, tools(), json!({ "toolsListChanged": true })).await;
    for _ in 0..10_000 {
        let id = &request["id"];
        let mut lines = String::new();
        for message in [
            told("resources/updated", id, json!({ "uri": "shop://b" })),
            told("tools/list_changed", id, json!({})),
            told("resources/updated", id, json!({ "uri": "shop://a" })),
        ] {
            lines += &format!("{message}\n");
        }
        fake.write(&lines).await;
    }
    fake.answers_a_call(&client).await;
    for change in [resource("shop://b"), Change::Tools, resource("shop://a")] {
        assert_eq!(next(&mut subscription).await, changed(change));
    }
    fake.say(told("tools/list_changed", &request["id"], json!({}))).await;
    assert_eq!(next(&mut subscription).await, changed(Change::Tools));
}

// ---- Older servers -------------------------------------------------------------------------------------------------

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": true }, "prompts": {}, "resources": { "subscribe": true } })
}

fn plainly(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params })
}

// rows: SUB-7, SUB-13, LIFE-6
#[tokio::test]
async fn an_older_server_is_asked_for_each_resource_as_long_as_somebody_listens() {
    let (client, mut fake) = legacy_as(Client::builder(), "2025-11-25", capabilities()).await;
    let asked = SubscriptionFilter {
        tools_list_changed: true,
        prompts_list_changed: true,
        ..resources(&["shop://a", "shop://b"])
    };
    let serve = async {
        for uri in ["shop://a", "shop://b"] {
            assert_eq!(fake.answer("resources/subscribe", "{}").await["params"], json!({ "uri": uri }));
        }
    };
    let (first, ()) = tokio::join!(client.listen(asked.clone()), serve);
    let mut first = first.unwrap();
    assert_eq!(*first.filter(), SubscriptionFilter { prompts_list_changed: false, ..asked });
    let (second, _) = tokio::join!(client.listen(resources(&["shop://a"])), fake.answer("resources/subscribe", "{}"));
    let mut second = second.unwrap();

    for message in [
        plainly("prompts/list_changed", json!({})),
        plainly("tools/list_changed", json!([])),
        plainly("resources/updated", json!({ "uri": "shop://c" })),
        plainly("resources/updated", json!({})),
        plainly("resources/updated", json!({ "uri": "shop://b" })),
        plainly("resources/updated", json!({ "uri": "shop://a/7" })),
    ] {
        fake.say(message).await;
    }
    // Some servers tell what they did not promise.
    assert_eq!(next(&mut first).await, changed(Change::Prompts));
    assert_eq!(next(&mut first).await, changed(Change::Tools));
    assert_eq!(next(&mut first).await, changed(resource("shop://b")));
    assert_eq!(next(&mut first).await, changed(resource("shop://a/7")));
    assert_eq!(next(&mut second).await, changed(resource("shop://a/7")));

    drop(first);
    let unsubscribe = fake.expect("resources/unsubscribe").await;
    assert_eq!(unsubscribe["params"], json!({ "uri": "shop://b" }));
    fake.reply(&unsubscribe, json!({})).await;
    fake.say(plainly("resources/updated", json!({ "uri": "shop://a" }))).await;
    assert_eq!(next(&mut second).await, changed(resource("shop://a")));
    drop(second);
    assert_eq!(fake.expect("resources/unsubscribe").await["params"], json!({ "uri": "shop://a" }));
    fake.answers_a_call(&client).await;
}

// rows: LIFE-6
#[tokio::test]
async fn an_older_server_that_can_not_watch_is_not_asked_to() {
    let (client, mut fake) = legacy_as(Client::builder(), "2025-06-18", json!({ "resources": {} })).await;
    let error = client.listen(resources(&["shop://a"])).await.unwrap_err();
    let text = "the server does not offer this: it did not declare the capability `resources.subscribe`";
    assert_eq!(error.to_string(), text);
    let subscription = client.listen(tools()).await.unwrap();
    assert_eq!(*subscription.filter(), SubscriptionFilter::default());
    fake.answers_a_call(&client).await;
}

#[tokio::test]
async fn an_older_server_that_refuses_a_resource_keeps_none_of_them() {
    let (client, mut fake) = legacy_as(Client::builder(), "2025-11-25", capabilities()).await;
    let serve = async {
        fake.answer("resources/subscribe", "{}").await;
        let request = fake.expect("resources/subscribe").await;
        let error = json!({ "code": -32002, "message": "no such resource" });
        fake.say(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await;
    };
    let (result, ()) = tokio::join!(client.listen(resources(&["shop://a", "shop://nope"])), serve);
    assert_eq!(result.unwrap_err().to_string(), "the server refused: no such resource (code -32002)");
    assert_eq!(fake.expect("resources/unsubscribe").await["params"], json!({ "uri": "shop://a" }));
    fake.expect("resources/unsubscribe").await;
    let mut subscription = client.listen(tools()).await.unwrap();
    drop(fake);
    assert!(matches!(subscription.next().await, Some(Err(CallError::Closed { .. }))));
    assert!(subscription.next().await.is_none());
}

// ---- Our own server, in both eras ----------------------------------------------------------------------------------

/// Add a tool.
#[tool]
async fn add_tool(name: String, server: State<ServerHandle>) -> Result<(), ToolError> {
    let mut tool = mcp_server::Tool::builder(name);
    let result = tool.returns::<&str>();
    Ok(server.add_tool(tool.handler(move |call| call.run(async { "done" }, result)))?)
}

/// What is on offer.
#[resource("shop://offers")]
async fn offers() -> String {
    "tea".into()
}

fn server() -> Server {
    let server = Server::new("shop");
    let handle = server.handle();
    server.state(handle).tool(add_tool).resource(offers)
}

// rows: SUB-1, SUB-7, SUB-13
#[tokio::test]
async fn our_own_server_tells_its_changes_in_both_eras() {
    for version in [ProtocolVersion::LATEST, ProtocolVersion::V2025_11_25, ProtocolVersion::V2024_11_05] {
        let server = server();
        let handle = server.handle();
        let client = Client::builder().protocol_versions([version]).connect(server).await.unwrap();
        let asked = SubscriptionFilter {
            tools_list_changed: true,
            prompts_list_changed: true,
            ..resources(&["shop://offers"])
        };
        let mut all = client.listen(asked.clone()).await.unwrap();
        assert_eq!(*all.filter(), SubscriptionFilter { prompts_list_changed: false, ..asked }, "{version}");
        let mut some = client.listen(tools()).await.unwrap();
        handle.resource_updated("shop://offers");
        assert_eq!(next(&mut all).await, changed(resource("shop://offers")));
        client.call_tool("add_tool", json!({ "name": "x" })).await.unwrap();
        assert_eq!(next(&mut all).await, changed(Change::Tools));
        // As a stream, too.
        let event = std::future::poll_fn(|cx| Pin::new(&mut some).poll_next(cx)).await;
        assert_eq!(event.map(|event| event.unwrap()), changed(Change::Tools));
        drop(all);
        client.call_tool("add_tool", json!({ "name": "y" })).await.unwrap();
        assert_eq!(next(&mut some).await, changed(Change::Tools));
    }
}

#[tokio::test]
async fn a_subscription_can_be_a_task_of_its_own() {
    let server = server();
    let handle = server.handle();
    let client = Arc::new(Client::connect(server).await.unwrap());
    let listens = Arc::new(Notify::new());
    let task = tokio::spawn({
        let (client, listens) = (Arc::clone(&client), Arc::clone(&listens));
        async move {
            let mut subscription = client.listen(resources(&["shop://offers"])).await.unwrap();
            listens.notify_one();
            next(&mut subscription).await
        }
    });
    listens.notified().await;
    handle.resource_updated("shop://offers");
    assert_eq!(task.await.unwrap(), changed(resource("shop://offers")));
}

#[tokio::test]
async fn a_hook_that_reads_the_list_anew_holds_up_nothing() {
    for version in [ProtocolVersion::LATEST, ProtocolVersion::LATEST_LEGACY] {
        let shared: Arc<OnceLock<Arc<Client>>> = Arc::default();
        let (heard, mut lists) = tokio::sync::mpsc::unbounded_channel();
        let changes = Arc::new(Mutex::new(Vec::new()));
        let (hook, seen) = (Arc::clone(&shared), Arc::clone(&changes));
        let builder = Client::builder().protocol_versions([version]).on_change(move |change| {
            seen.lock().unwrap().push(change.clone());
            let (client, heard) = (Arc::clone(hook.get().unwrap()), heard.clone());
            tokio::spawn(async move { heard.send(client.list_tools().await.unwrap().len()) });
        });
        let client = Arc::new(builder.connect(server()).await.unwrap());
        assert!(shared.set(Arc::clone(&client)).is_ok());
        let _subscription = client.listen(tools()).await.unwrap();
        client.call_tool("add_tool", json!({ "name": "x" })).await.unwrap();
        assert_eq!(lists.recv().await, Some(2));
        assert_eq!(*changes.lock().unwrap(), [Change::Tools]);
    }
}

#[tokio::test]
async fn a_hook_that_panics_costs_what_it_was_told() {
    let (client, mut fake) = modern_as(Client::builder().on_change(|_| panic!("in the hook"))).await;
    let (mut subscription, request) = listen(&client, &mut fake, tools(), json!({ "toolsListChanged": true })).await;
    fake.say(told("tools/list_changed", &request["id"], json!({}))).await;
    assert_eq!(next(&mut subscription).await, changed(Change::Tools));
    fake.answers_a_call(&client).await;
}
