//! What a client keeps of what it has read, for how long, and what makes it void.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_server::client::{CallError, ClientBuilder};
use mcp_server::prelude::*;
use mcp_server::protocol::CacheScope;
use serde_json::Value;
use support::scripted::{Fake, connect};

const MODERN: &str = "2026-07-28";

fn keeping() -> ClientBuilder {
    Client::builder().cache(1024 * 1024)
}

fn contents(text: &str, ttl: impl Into<Value>) -> Value {
    let contents = [json!({ "uri": "shop://a", "text": text })];
    json!({ "resultType": "complete", "contents": contents, "ttlMs": ttl.into(), "cacheScope": "private" })
}

/// Reads a resource of the fake, which is asked, and answers thus.
async fn reads(client: &Client, fake: &mut Fake, uri: &str, result: &Value) -> Value {
    let (read, params) = tokio::join!(client.read_resource(uri).into_future(), fake.answer("resources/read", result));
    assert_eq!(read.unwrap().text(), result["contents"][0]["text"]);
    params
}

/// Reads a resource without the fake.
async fn kept(client: &Client, uri: &str) -> String {
    client.read_resource(uri).timeout(Duration::ZERO).await.expect("it is kept").text()
}

// rows: CACHE-7
#[tokio::test(start_paused = true)]
async fn a_result_is_fresh_for_as_long_as_it_says_and_asked_for_when_it_is_needed_again() {
    let (client, mut fake) = connect(keeping(), MODERN).await;
    reads(&client, &mut fake, "shop://a", &contents("one", 60_000)).await;
    tokio::time::advance(Duration::from_millis(59_999)).await;
    assert_eq!(kept(&client, "shop://a").await, "one");
    tokio::time::advance(Duration::from_millis(1)).await;
    // Nobody has asked meanwhile: the next message is the one of this call.
    reads(&client, &mut fake, "shop://a", &contents("two", 60_000)).await;
    assert_eq!(kept(&client, "shop://a").await, "two");
}

// rows: CACHE-7
#[tokio::test(start_paused = true)]
async fn what_says_nothing_of_use_is_not_kept() {
    let (client, mut fake) = connect(keeping(), MODERN).await;
    for ttl in [json!(0), json!(-1), json!(null), json!("60000"), json!(1e300), json!(0.5), json!([60000])] {
        reads(&client, &mut fake, "shop://a", &contents("one", ttl)).await;
    }
    reads(&client, &mut fake, "shop://a", &json!({ "contents": [{ "uri": "shop://a", "text": "one" }] })).await;
    // An unknown scope is a private one, and whatever it is nobody else sees it.
    let odd = json!({ "contents": [{ "uri": "shop://a", "text": "odd" }], "ttlMs": 1000, "cacheScope": "galaxy" });
    reads(&client, &mut fake, "shop://a", &odd).await;
    assert_eq!(kept(&client, "shop://a").await, "odd");
}

// rows: CACHE-4
#[tokio::test(start_paused = true)]
async fn a_request_that_differs_is_asked_and_meta_makes_no_difference() {
    let (client, mut fake) = connect(keeping(), MODERN).await;
    reads(&client, &mut fake, "shop://a", &contents("one", 60_000)).await;
    let params = reads(&client, &mut fake, "shop://b", &contents("two", 60_000)).await;
    assert_eq!(params["uri"], "shop://b");
    reads(&client, &mut fake, "shop://a?", &contents("three", 60_000)).await;
    assert_eq!(kept(&client, "shop://a").await, "one");
    let read = client.read_resource("shop://b").meta("com.example/trace", 7).timeout(Duration::ZERO).await;
    assert_eq!(read.unwrap().text(), "two");
    // The same request, made by hand, and another one by a param more.
    let by_hand = client.request::<Value>("resources/read", json!({ "uri": "shop://a" })).timeout(Duration::ZERO);
    assert_eq!(by_hand.await.unwrap()["contents"][0]["text"], "one");
    let (other, _) = tokio::join!(
        client.request::<Value>("resources/read", json!({ "uri": "shop://a", "page": 2 })).into_future(),
        fake.answer("resources/read", contents("four", 60_000))
    );
    assert_eq!(other.unwrap()["contents"][0]["text"], "four");
}

// rows: CACHE-5
#[tokio::test(start_paused = true)]
async fn what_asks_for_input_and_what_is_an_error_is_not_kept() {
    let (client, mut fake) = connect(keeping(), MODERN).await;
    let asks = json!({
        "resultType": "input_required",
        "inputRequests": { "where": { "method": "roots/list" } },
        "requestState": "s",
        "ttlMs": 60_000,
        "cacheScope": "public",
    });
    for _ in 0..2 {
        let (read, _) =
            tokio::join!(client.read_resource("shop://a").into_future(), fake.answer("resources/read", &asks));
        // This client can't answer.
        assert!(matches!(read, Err(CallError::InputRequired { .. })), "{read:?}");
    }
    for _ in 0..2 {
        let read = client.read_resource("shop://a").into_future();
        assert!(tokio::join!(read, fake.refuse("resources/read", -32602)).0.is_err());
    }
    // What can't be read is asked for again as well, and so is what is of an unknown kind.
    let odd = json!({ "resultType": "zzz", "contents": [], "ttlMs": 60_000 });
    for _ in 0..2 {
        let read = client.read_resource("shop://a").into_future();
        let error = tokio::join!(read, fake.answer("resources/read", &odd)).0.unwrap_err();
        assert!(matches!(error, CallError::UnknownResultType { .. }));
    }
}

// rows: CACHE-6
#[tokio::test(start_paused = true)]
async fn two_clients_share_nothing() {
    let (first, mut fake) = connect(keeping(), MODERN).await;
    reads(&first, &mut fake, "shop://a", &contents("hers", 60_000)).await;
    let (second, mut fake) = connect(keeping(), MODERN).await;
    reads(&second, &mut fake, "shop://a", &contents("his", 60_000)).await;
    assert_eq!(kept(&first, "shop://a").await, "hers");
    assert_eq!(kept(&second, "shop://a").await, "his");
}

fn change(method: &str, params: Value) -> Value {
    json!({ "method": method, "params": params })
}

// rows: CACHE-8
#[tokio::test(start_paused = true)]
async fn a_change_makes_void_what_is_kept() {
    let (client, mut fake) = connect(keeping(), MODERN).await;
    let tools = json!({ "tools": [{ "name": "a", "inputSchema": {} }], "ttlMs": 60_000, "cacheScope": "public" });
    let (listed, _) = tokio::join!(client.list_tools(), fake.answer("tools/list", &tools));
    listed.unwrap();
    reads(&client, &mut fake, "shop://a", &contents("one", 60_000)).await;
    reads(&client, &mut fake, "shop://b", &contents("two", 60_000)).await;
    assert_eq!(client.list_tools().await.unwrap().len(), 1);

    fake.send(change("notifications/resources/updated", json!({ "uri": "shop://a" }))).await;
    // The notification is read before the answer that follows it.
    reads(&client, &mut fake, "shop://c", &contents("three", 0)).await;
    assert_eq!(kept(&client, "shop://b").await, "two");
    reads(&client, &mut fake, "shop://a", &contents("new", 60_000)).await;

    fake.send(change("notifications/tools/list_changed", json!({}))).await;
    reads(&client, &mut fake, "shop://c", &contents("three", 0)).await;
    assert_eq!(kept(&client, "shop://a").await, "new");
    let (listed, _) = tokio::join!(client.list_tools(), fake.answer("tools/list", json!({ "tools": [] })));
    assert!(listed.unwrap().is_empty());

    // One that comes while the answer is on its way: what is answered may be the old state.
    let serve = async {
        let request = fake.expect("resources/read").await;
        fake.send(change("notifications/resources/updated", json!({ "uri": "shop://d" }))).await;
        fake.send(json!({ "id": request["id"], "result": contents("old", 60_000) })).await;
    };
    let (read, ()) = tokio::join!(client.read_resource("shop://d").into_future(), serve);
    assert_eq!(read.unwrap().text(), "old");
    reads(&client, &mut fake, "shop://d", &contents("newest", 60_000)).await;

    // What can't be read says nothing.
    fake.send(change("notifications/resources/updated", json!([7]))).await;
    fake.send(change("notifications/resources/updated", json!({}))).await;
    reads(&client, &mut fake, "shop://c", &contents("three", 0)).await;
    assert_eq!(kept(&client, "shop://d").await, "newest");
}

fn page(name: &str, next: Option<&str>, ttl: u32) -> Value {
    let tools = [json!({ "name": name, "inputSchema": { "type": "object" } })];
    match next {
        Some(next) => json!({ "tools": tools, "nextCursor": next, "ttlMs": ttl, "cacheScope": "public" }),
        None => json!({ "tools": tools, "ttlMs": ttl, "cacheScope": "public" }),
    }
}

async fn names(client: &Client) -> Vec<String> {
    client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect()
}

// rows: CACHE-9
#[tokio::test(start_paused = true)]
async fn a_page_that_is_too_old_is_asked_for_with_its_cursor() {
    let (client, mut fake) = connect(keeping(), MODERN).await;
    let serve = async {
        fake.answer("tools/list", page("a", Some("2"), 60_000)).await;
        fake.answer("tools/list", page("b", Some("3"), 1_000)).await;
        fake.answer("tools/list", page("c", None, 60_000)).await;
    };
    assert_eq!(tokio::join!(names(&client), serve).0, ["a", "b", "c"]);
    assert_eq!(names(&client).await, ["a", "b", "c"]);
    tokio::time::advance(Duration::from_secs(2)).await;
    let serve = async {
        let params = fake.answer("tools/list", page("B", Some("3"), 60_000)).await;
        assert_eq!(params["cursor"], "2");
    };
    assert_eq!(tokio::join!(names(&client), serve).0, ["a", "B", "c"]);
}

// rows: CACHE-9
#[tokio::test(start_paused = true)]
async fn a_cursor_that_is_no_longer_valid_voids_all_pages() {
    let (client, mut fake) = connect(keeping(), MODERN).await;
    let serve = async {
        fake.answer("tools/list", page("a", Some("old"), 60_000)).await;
        fake.answer("tools/list", page("b", None, 1_000)).await;
    };
    assert_eq!(tokio::join!(names(&client), serve).0, ["a", "b"]);
    tokio::time::advance(Duration::from_secs(2)).await;
    let serve = async {
        assert_eq!(fake.refuse("tools/list", -32602).await["cursor"], "old");
        // The first page is still fresh, and yet it is asked for.
        let first = fake.answer("tools/list", page("A", Some("new"), 60_000)).await;
        assert_eq!(first.get("cursor"), None);
        assert_eq!(fake.answer("tools/list", page("B", None, 60_000)).await["cursor"], "new");
    };
    assert_eq!(tokio::join!(names(&client), serve).0, ["A", "B"]);
    assert_eq!(names(&client).await, ["A", "B"]);
}

// rows: CACHE-7
#[tokio::test(start_paused = true)]
async fn nothing_is_kept_unless_it_is_wanted() {
    for (builder, version) in
        [(Client::builder(), MODERN), (keeping(), "2025-11-25"), (Client::builder().cache(100), MODERN)]
    {
        let (client, mut fake) = connect(builder, version).await;
        for _ in 0..2 {
            reads(&client, &mut fake, "shop://a", &contents("one", 60_000)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_can_be_passed_by_and_forgotten() {
    let (client, mut fake) = connect(keeping(), MODERN).await;
    reads(&client, &mut fake, "shop://a", &contents("one", 60_000)).await;
    let fresh = client.read_resource("shop://a").fresh().into_future();
    let (fresh, _) = tokio::join!(fresh, fake.answer("resources/read", contents("two", 60_000)));
    assert_eq!(fresh.unwrap().text(), "two");
    assert_eq!(kept(&client, "shop://a").await, "two");
    client.forget_cached();
    reads(&client, &mut fake, "shop://a", &contents("three", 60_000)).await;

    let serve = fake.answer("tools/list", page("a", None, 60_000));
    assert_eq!(tokio::join!(names(&client), serve).0, ["a"]);
    let (tools, _) = tokio::join!(client.tools().fresh().all(), fake.answer("tools/list", page("b", None, 60_000)));
    assert_eq!(tools.unwrap()[0].name, "b");
    assert_eq!(names(&client).await, ["b"]);
}

struct Shelf(Arc<AtomicUsize>);

#[server]
impl Shelf {
    /// How often it was read.
    #[resource("shelf://count")]
    async fn count(&self) -> String {
        (self.0.fetch_add(1, Ordering::Relaxed) + 1).to_string()
    }

    /// It is never kept, as it is a call.
    #[tool]
    async fn look(&self) -> String {
        (self.0.fetch_add(1, Ordering::Relaxed) + 1).to_string()
    }
}

// rows: CACHE-7
#[tokio::test]
async fn our_own_server_is_asked_once() {
    let server = Server::new("shelf").with(Shelf(Arc::default())).cache(Duration::from_secs(60), CacheScope::Private);
    let client = keeping().connect(server).await.unwrap();
    for _ in 0..3 {
        assert_eq!(client.read_resource("shelf://count").await.unwrap().text(), "1");
    }
    for expected in ["2", "3"] {
        assert_eq!(client.call_tool("look", json!({})).await.unwrap().text(), expected);
    }
    assert_eq!(client.read_resource("shelf://count").fresh().await.unwrap().text(), "4");
}
