//! The client over HTTP, against our own server in both eras and against servers that do what they should not.

mod support;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_server::client::{CallError, ClientBuilder, ConnectError};
use mcp_server::prelude::*;
use mcp_server::protocol::{ErrorCode, LoggingLevel, ProtocolVersion};
use serde_json::{Value, json};
use support::fake_http::{
    Fake, Part, Reply, Seen, accepted, chunk, discovered, end, events, json as json_reply, reply, shakes_hands, stream,
};
use support::http::{LONG, Site, run};
use support::tools;
use tokio::sync::Notify;

const LEGACY: [ProtocolVersion; 3] =
    [ProtocolVersion::V2025_03_26, ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25];

fn text(seen: &Seen, text: &str) -> String {
    seen.result(json!({ "content": [{ "type": "text", "text": text }] }))
}

/// A stateless server that answers calls as a test wants, and lists this.
async fn modern(tools: Value, call: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Fake {
    Fake::open(move |seen| match seen.method().as_str() {
        "server/discover" => discovered(seen),
        "tools/list" => json_reply(&seen.result(json!({ "tools": tools }))),
        _ => call(seen),
    })
    .await
}

/// An older server that does everything but the handshake as a test wants.
async fn legacy(version: &'static str, other: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Fake {
    Fake::open(move |seen| match shakes_hands(seen, version, "s-1") {
        Some(reply) if seen.verb != "GET" => reply,
        _ => other(seen),
    })
    .await
}

fn quick() -> ClientBuilder {
    Client::builder().probe_timeout(Duration::from_secs(30))
}

async fn connect(fake: &Fake) -> Client {
    quick().http(fake.url()).await.unwrap()
}

// rows: HTTP-5, HTTP-10, HTTP-12, HTTP-18
#[test]
fn our_own_server_is_reached_in_both_eras_and_in_all_its_forms() {
    run(async {
        let sites = [
            (Site::of(tools::server().http()).await, true),
            (Site::of(tools::server().http().stateless()).await, true),
            (Site::of(tools::server().http().json_only()).await, false),
        ];
        for (site, reports) in &sites {
            let url = format!("http://{}/mcp", site.address);
            let all = [ProtocolVersion::ALL.to_vec()].into_iter().chain(LEGACY.map(|version| vec![version]));
            for versions in all {
                let newest = *versions.last().unwrap();
                let client = Client::builder().protocol_versions(versions).http(&url).await.unwrap();
                assert_eq!(client.protocol_version(), newest);
                assert!(client.list_tools().await.unwrap().iter().any(|tool| tool.name == "count"));
                let mut seen = Vec::new();
                let call = client.call_tool("count", json!({ "n": 500 }));
                let result = call.on_progress(async |report: Progress| seen.push(report.done as u32)).await.unwrap();
                assert_eq!(result.text(), "500");
                let expected: Vec<u32> = if *reports { (1..=500).collect() } else { Vec::new() };
                assert_eq!(seen, expected, "{newest}");
                let result = client.call_tool("fail", json!({ "order": "A17" })).await.unwrap();
                assert!(result.is_error);
                let error = client.call_tool("nope", json!({})).await.unwrap_err();
                assert!(
                    matches!(&error, CallError::Server(error) if error.code == ErrorCode::INVALID_PARAMS),
                    "{error}"
                );
                client.close().await;
            }
        }
        for (site, ..) in sites {
            site.close().await;
        }
    });
}

#[test]
fn many_calls_at_once_each_get_their_own() {
    run(async {
        let site = Site::open(tools::server()).await;
        for versions in [vec![ProtocolVersion::LATEST], vec![ProtocolVersion::V2025_11_25]] {
            let client = Client::builder().protocol_versions(versions);
            let client = Arc::new(client.http(format!("http://{}/mcp", site.address)).await.unwrap());
            let mut calls = tokio::task::JoinSet::new();
            for a in 0..100 {
                let client = Arc::clone(&client);
                calls.spawn(async move {
                    let result = client.call_tool("add", json!({ "a": a, "b": 1000 })).await.unwrap();
                    assert_eq!(result.text(), (a + 1000).to_string());
                });
            }
            while let Some(done) = calls.join_next().await {
                done.unwrap();
            }
        }
        site.close().await;
    });
}

// rows: HTTP-5, HTTP-6, HDR-1, HDR-2, HDR-5, HDR-7, AUTH-13
#[test]
fn each_message_is_a_post_with_its_headers() {
    run(async {
        let fake = modern(json!([]), |seen| json_reply(&text(seen, "ok"))).await;
        let client = quick()
            .bearer_token("t-1")
            .header("X-Key", "k")
            .header("Accept", "text/html")
            .header("mcp-method", "x")
            .header("Connection", "close");
        let client = client.http(fake.url()).await.unwrap();
        client.list_tools().await.unwrap();
        let names = [
            ("add", "add"),
            ("my-hyphenated-tool", "my-hyphenated-tool"),
            ("a b", "a b"),
            ("Zürich", "=?base64?WsO8cmljaA==?="),
            ("café", "=?base64?Y2Fmw6k=?="),
            (" x ", "=?base64?IHgg?="),
            ("a\nb", "=?base64?YQpi?="),
            ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
        ];
        for (name, _) in names {
            client.call_tool(name, json!({})).await.unwrap();
        }
        client.close().await;
        let seen = fake.seen();
        assert_eq!(seen.len(), names.len() + 2, "{:?}", fake.methods());
        for seen in &seen {
            assert_eq!((seen.verb.as_str(), seen.path.as_str()), ("POST", "/mcp"));
            assert_eq!(seen.header("accept"), Some("application/json, text/event-stream"));
            assert_eq!(seen.header("content-type"), Some("application/json"));
            assert_eq!(seen.header("authorization"), Some("Bearer t-1"));
            assert_eq!(seen.header("x-key"), Some("k"));
            assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
            let body = seen.json();
            assert_eq!(body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
            assert_eq!(seen.header("mcp-method"), body["method"].as_str());
            // RFC 9113, 8.2.2, and what belongs to the other era.
            for name in ["connection", "keep-alive", "transfer-encoding", "mcp-session-id", "last-event-id"] {
                assert_eq!(seen.header(name), None);
            }
        }
        let sent: Vec<_> =
            fake.of("tools/call").iter().map(|seen| seen.header("mcp-name").unwrap().to_owned()).collect();
        assert_eq!(sent, names.map(|(_, value)| value));
        assert!(seen.iter().all(|seen| seen.method() == "tools/call" || seen.header("mcp-name").is_none()));
    });
}

// rows: HDR-7
#[test]
fn names_that_no_header_can_hold_arrive_as_they_are() {
    run(async {
        let site = Site::open(tools::server()).await;
        let client = Client::http(format!("http://{}/mcp", site.address)).await.unwrap();
        for name in ["café", " pad ", "=?base64?eA==?=", "a\r\nb", "", "\u{1F980}"] {
            // A header that says something else would be -32020.
            match client.call_tool(name, json!({})).await {
                Err(CallError::Server(error)) => assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{name:?}: {error}"),
                other => panic!("{name:?}: {other:?}"),
            }
        }
        site.close().await;
    });
}

fn regional(header: &str) -> Value {
    let properties = json!({
        "region": { "type": "string", "x-mcp-header": header },
        "n": { "type": "integer", "x-mcp-header": "N" },
        "query": { "type": "string" }
    });
    json!({ "name": "deploy", "inputSchema": { "type": "object", "properties": properties } })
}

// rows: HDR-15, HDR-16
#[test]
fn arguments_are_repeated_in_headers_once_the_tool_is_known() {
    run(async {
        let fake = modern(json!([regional("Region")]), |seen| json_reply(&text(seen, "ok"))).await;
        let client = connect(&fake).await;
        client.call_tool("deploy", json!({ "region": "eu" })).await.unwrap();
        client.list_tools().await.unwrap();
        for arguments in [
            json!({ "region": "eu", "n": 42, "query": "x" }),
            json!({ "region": "", "n": null }),
            json!({ "region": "Zürich\n" }),
            json!({}),
        ] {
            client.call_tool("deploy", arguments).await.unwrap();
        }
        let of =
            |name| fake.of("tools/call").iter().map(|seen| seen.header(name).map(str::to_owned)).collect::<Vec<_>>();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(of("mcp-param-region"), [None, some("eu"), some(""), some("=?base64?WsO8cmljaAo=?="), None]);
        assert_eq!(of("mcp-param-n"), [None, some("42"), None, None, None]);
        assert_eq!(of("mcp-param-query"), [None, None, None, None, None]);
    });
}

// rows: HDR-16
#[test]
fn a_tool_whose_headers_have_changed_is_listed_again_and_called_once_more() {
    run(async {
        let fails = Arc::new(AtomicUsize::new(1));
        let left = Arc::clone(&fails);
        let fake = Fake::open(move |seen| match seen.method().as_str() {
            "server/discover" => discovered(seen),
            "tools/list" => json_reply(&seen.result(json!({ "tools": [regional("Place")] }))),
            _ if left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() => {
                reply(400, "content-type: application/json\r\n", &seen.error(-32020, Value::Null))
            }
            _ => json_reply(&text(seen, "ok")),
        })
        .await;
        let client = connect(&fake).await;
        assert_eq!(client.call_tool("deploy", json!({ "region": "eu" })).await.unwrap().text(), "ok");
        assert_eq!(fake.methods(), ["server/discover", "tools/call", "tools/list", "tools/call"]);
        let calls = fake.of("tools/call");
        assert_eq!(calls[0].header("mcp-param-place"), None);
        assert_eq!(calls[1].header("mcp-param-place"), Some("eu"));
        assert_ne!(calls[0].json()["id"], calls[1].json()["id"]);
        // Once.
        fails.store(9, Ordering::SeqCst);
        let error = client.call_tool("deploy", json!({ "region": "eu" })).await.unwrap_err();
        assert!(matches!(error, CallError::Server(error) if error.code == ErrorCode::HEADER_MISMATCH));
        assert_eq!(fake.of("tools/call").len(), 4);
    });
}

/// Deploy something.
#[tool]
async fn deploy(#[tool(header = "Region")] region: String, #[tool(header = "N")] n: i64) -> String {
    format!("{region} {n}")
}

// rows: HDR-15, HDR-16
#[test]
fn our_own_server_gets_the_headers_that_it_asks_for() {
    run(async {
        let site = Site::open(Server::new("deployer").tool(deploy)).await;
        let client = Client::http(format!("http://{}/mcp", site.address)).await.unwrap();
        for region in ["eu", "", " Zürich\r\n", "=?base64?x?="] {
            let result = client.call_tool("deploy", json!({ "region": region, "n": -7 })).await.unwrap();
            assert_eq!(result.text(), format!("{region} -7"));
        }
        site.close().await;
    });
}

// rows: HDR-14
#[test]
fn a_tool_that_declares_its_headers_wrongly_is_left_out() {
    run(async {
        let mut bad = regional("a b");
        bad["name"] = json!("bad");
        let fake = modern(json!([bad, regional("Region")]), |seen| json_reply(&text(seen, "ok"))).await;
        let client = connect(&fake).await;
        let names: Vec<_> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
        assert_eq!(names, ["deploy"]);
    });
}

/// What becomes of a connection whose server answers `server/discover` in one way and `initialize` well or not at all.
async fn connected(
    discover: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    initialize: bool,
) -> (Result<Client, ConnectError>, Fake) {
    let fake = Fake::open(move |seen| match seen.method().as_str() {
        "server/discover" => discover(seen),
        "initialize" if !initialize => reply(404, "", ""),
        _ => match shakes_hands(seen, "2025-11-25", "s-1") {
            Some(reply) => reply,
            None => json_reply(&seen.result(json!({ "tools": [] }))),
        },
    })
    .await;
    (quick().http(fake.url()).await, fake)
}

const JSON_TYPE: &str = "content-type: application/json\r\n";

// rows: ERA-11, ERA-12, ERA-10
#[test]
fn an_older_server_is_known_by_what_it_says_to_the_first_request() {
    run(async {
        type Discover = fn(&Seen) -> Reply;
        let older: [Discover; 13] = [
            |_| reply(400, "", ""),
            |_| reply(400, "content-type: text/plain\r\n", "Bad Request: No valid session ID provided"),
            |_| reply(400, JSON_TYPE, r#"{"error":"no session"}"#),
            |seen| reply(400, JSON_TYPE, &seen.error(-32000, Value::Null)),
            |seen| reply(400, JSON_TYPE, &seen.error(-32601, Value::Null)),
            |_| reply(400, JSON_TYPE, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"x"}}"#),
            |_| reply(404, "", ""),
            |_| reply(405, "", ""),
            |_| reply(406, "", "not acceptable"),
            |_| reply(422, JSON_TYPE, r#"{"detail":"x"}"#),
            |seen| json_reply(&seen.error(-32601, Value::Null)),
            |seen| json_reply(&seen.error(-32602, Value::Null)),
            |_| reply(200, "content-type: text/html\r\n", "<html>"),
        ];
        for (at, discover) in older.into_iter().enumerate() {
            let (client, fake) = connected(discover, true).await;
            let client = client.unwrap_or_else(|error| panic!("{at}: {error}"));
            assert_eq!(client.protocol_version(), ProtocolVersion::V2025_11_25, "{at}");
            client.list_tools().await.unwrap();
            assert_eq!(fake.of("initialize").len(), 1);
        }
    });
}

// rows: ERA-11, ERA-12
#[test]
fn a_stateless_server_is_never_shaken_hands_with() {
    run(async {
        type Discover = fn(&Seen) -> Reply;
        // It does not know the method, and is a stateless one nevertheless.
        let (client, fake) = connected(|seen| reply(404, JSON_TYPE, &seen.error(-32601, Value::Null)), true).await;
        let client = client.unwrap();
        assert_eq!(client.protocol_version(), ProtocolVersion::LATEST);
        assert!(client.server_info().is_none());
        client.list_tools().await.unwrap();
        assert!(fake.of("initialize").is_empty());
        // It names the version that it wants.
        let (client, fake) = connected(
            |seen| match seen.number {
                0 => {
                    let data = json!({ "supported": ["2026-07-28"], "requested": "2026-07-28" });
                    reply(400, JSON_TYPE, &seen.error(-32022, data))
                }
                _ => discovered(seen),
            },
            true,
        )
        .await;
        assert_eq!(client.unwrap().protocol_version(), ProtocolVersion::LATEST);
        assert_eq!(fake.methods(), ["server/discover", "server/discover"]);
        let refused: [(Discover, &str); 8] = [
            (|seen| reply(400, JSON_TYPE, &seen.error(-32020, Value::Null)), "-32020"),
            (|seen| reply(500, JSON_TYPE, &seen.error(-32021, json!({}))), "-32021"),
            (|seen| json_reply(&seen.error(-32022, Value::Null)), "-32022"),
            (
                |_| reply(401, "www-authenticate: Bearer resource_metadata=\"https://x/y\"\r\n", ""),
                "the server answered with the status 401 Unauthorized: the challenge is `Bearer \
                 resource_metadata=\"https://x/y\"`",
            ),
            (|_| reply(403, "", "go away"), "the server answered with the status 403 Forbidden: it says `go away`"),
            (
                |_| reply(503, "", "later"),
                "the server answered with the status 503 Service Unavailable: it says `later`",
            ),
            (|seen| reply(500, JSON_TYPE, &seen.error(-32603, Value::Null)), "-32603"),
            (|_| reply(429, "", ""), "the server answered with the status 429 Too Many Requests"),
        ];
        for (discover, text) in refused {
            let (client, fake) = connected(discover, true).await;
            let error = client.unwrap_err().to_string();
            assert!(error.contains(text), "{error}");
            assert!(fake.of("initialize").is_empty(), "{text}");
        }
    });
}

// rows: HTTP-21, ERA-12
#[test]
fn a_server_that_answers_neither_way_is_told_with_both() {
    run(async {
        let (client, _fake) = connected(|_| reply(404, "", "Not Found"), false).await;
        assert_eq!(
            client.unwrap_err().to_string(),
            "the server answers in no way that is known here; to `server/discover`: the server answered with the \
             status 404 Not Found: it says `Not Found`; to `initialize`: the server answered with the status 404 Not \
             Found; it may be one of HTTP+SSE, the transport of 2024-11-05, which is not spoken here: look for another \
             URL, which often ends in `/mcp`"
        );
        let (client, _fake) = connected(|_| reply(200, "content-type: text/html\r\n", "<h1>Hi</h1>"), false).await;
        let error = client.unwrap_err().to_string();
        assert!(error.contains("its type is `text/html`") && error.contains("it says `<h1>Hi</h1>`"), "{error}");
        assert!(!error.contains("HTTP+SSE"), "{error}");
    });
}

// rows: ERA-10, ERA-11
#[test]
fn a_server_that_is_silent_or_gone_ends_the_waiting() {
    run(async {
        let fake = Fake::open(|seen| match seen.method().as_str() {
            "server/discover" => vec![Part::Hold],
            _ => shakes_hands(seen, "2025-06-18", "s").unwrap(),
        })
        .await;
        let client = Client::builder().probe_timeout(Duration::from_millis(50)).http(fake.url()).await.unwrap();
        assert_eq!(client.protocol_version(), ProtocolVersion::V2025_06_18);
        let fake = Fake::open(|_| vec![Part::Hold]).await;
        let short = quick().connect_timeout(Duration::from_millis(500));
        assert!(matches!(short.http(fake.url()).await, Err(ConnectError::Timeout { .. })));
        fake.wait_for_gone(1).await;
        let url = fake.url();
        drop(fake);
        match Client::http(&url).await {
            Err(ConnectError::Unreachable { reason }) => assert!(reason.contains("refused"), "{reason}"),
            other => panic!("{other:?}"),
        }
    });
}

// rows: ERA-13
#[test]
fn what_one_client_has_found_the_next_one_knows() {
    run(async {
        let is_modern = Arc::new(AtomicBool::new(false));
        let now = Arc::clone(&is_modern);
        let fake = Fake::open(move |seen| match seen.method().as_str() {
            "initialize" if now.load(Ordering::SeqCst) => reply(404, JSON_TYPE, &seen.error(-32601, Value::Null)),
            "server/discover" if now.load(Ordering::SeqCst) => discovered(seen),
            _ => shakes_hands(seen, "2025-11-25", "s").unwrap(),
        })
        .await;
        let builder = quick();
        for _ in 0..2 {
            let client = builder.clone().http(fake.url()).await.unwrap();
            assert_eq!(client.protocol_version(), ProtocolVersion::V2025_11_25);
            client.close().await;
        }
        assert_eq!((fake.of("server/discover").len(), fake.of("initialize").len()), (1, 2));
        // The server has become another one.
        is_modern.store(true, Ordering::SeqCst);
        for _ in 0..2 {
            let client = builder.clone().http(fake.url()).await.unwrap();
            assert_eq!(client.protocol_version(), ProtocolVersion::LATEST);
        }
        assert_eq!((fake.of("server/discover").len(), fake.of("initialize").len()), (3, 3));
    });
}

// rows: ERA-14, LHTTP-4, LHTTP-7, LHTTP-8, LHTTP-13, HTTP-6
#[test]
fn a_session_has_its_own_headers_and_nothing_of_the_other_era() {
    run(async {
        for version in LEGACY {
            let fake = Fake::open(move |seen| match shakes_hands(seen, version.as_str(), "s-1") {
                Some(reply) => reply,
                None => json_reply(&seen.result(json!({ "tools": [] }))),
            })
            .await;
            let client = quick().bearer_token("t").http(fake.url()).await.unwrap();
            // It listens by then: what the server says by itself while nobody does would be lost.
            assert_eq!(fake.methods().last().unwrap(), "GET");
            client.list_tools().await.unwrap();
            client.close().await;
            let seen = fake.seen();
            let begun = ["server/discover", "initialize", "notifications/initialized", "GET"];
            assert_eq!(fake.methods(), [&begun[..], &["tools/list", "DELETE"]].concat());
            let of = |method: &str| seen.iter().find(|seen| seen.method() == method).unwrap();
            for seen in &seen {
                assert_eq!(seen.header("authorization"), Some("Bearer t"));
            }
            assert_eq!(of("initialize").header("mcp-session-id"), None);
            assert_eq!(of("initialize").header("mcp-protocol-version"), None);
            assert_eq!(of("GET").header("accept"), Some("text/event-stream"));
            for method in ["notifications/initialized", "tools/list", "GET", "DELETE"] {
                assert_eq!(of(method).header("mcp-session-id"), Some("s-1"), "{method}");
                let header = (version >= ProtocolVersion::V2025_06_18).then_some(version.as_str());
                assert_eq!(of(method).header("mcp-protocol-version"), header, "{method}");
            }
            for seen in seen.iter().filter(|seen| seen.method() != "server/discover") {
                assert!(seen.header("mcp-method").is_none() && seen.header("mcp-name").is_none());
                assert!(!seen.body.contains("io.modelcontextprotocol/"), "{}", seen.body);
            }
        }
    });
}

// The second part of B02: the first request waits until the server knows that the handshake is over.
// rows: LIFE-1
#[test]
fn nothing_is_sent_before_the_end_of_the_handshake_has_arrived() {
    run(async {
        let go_on = Arc::new(Notify::new());
        let waits = Arc::clone(&go_on);
        let fake = Fake::open(move |seen| match seen.method().as_str() {
            "notifications/initialized" => {
                let mut reply = accepted();
                reply.insert(0, Part::Wait(Arc::clone(&waits)));
                reply
            }
            _ => match shakes_hands(seen, "2025-11-25", "s-1") {
                Some(reply) => reply,
                None => json_reply(&seen.result(json!({ "tools": [] }))),
            },
        })
        .await;
        let url = fake.url();
        let listing = tokio::spawn(async move {
            let client = quick().http(url).await.unwrap();
            client.list_tools().await.unwrap();
            client
        });
        fake.wait_for("notifications/initialized", 1).await;
        assert_eq!(fake.methods(), ["server/discover", "initialize", "notifications/initialized"]);
        assert!(!listing.is_finished());
        go_on.notify_one();
        listing.await.unwrap();
        assert_eq!(fake.of("tools/list").len(), 1);
    });
}

// rows: HTTP-17
#[test]
fn a_lost_answer_is_asked_for_again_where_that_is_no_harm() {
    run(async {
        let of = |name: &str, annotations: Value| {
            let schema = json!({ "type": "object" });
            json!({ "name": name, "inputSchema": schema, "annotations": annotations })
        };
        let listed = json!([
            of("reads", json!({ "readOnlyHint": true })),
            of("twice", json!({ "idempotentHint": true })),
            of("once", json!({})),
        ]);
        let cut = Arc::new(AtomicBool::new(true));
        let cuts = Arc::clone(&cut);
        let fake = Fake::open(move |seen| match seen.method().as_str() {
            "server/discover" => discovered(seen),
            // Every second request is lost, in one way and the other.
            _ if cuts.fetch_xor(true, Ordering::SeqCst) => {
                let mut reply = stream(&format!("data: {}\n\n", seen.report(1)));
                reply.push(if seen.number % 2 == 0 { Part::Close } else { end() });
                reply
            }
            "tools/list" => json_reply(&seen.result(json!({ "tools": listed }))),
            _ => json_reply(&text(seen, "ok")),
        })
        .await;
        let client = connect(&fake).await;
        assert_eq!(client.list_tools().await.unwrap().len(), 3);
        for name in ["reads", "twice"] {
            let mut reports = 0;
            let call = client.call_tool(name, json!({})).on_progress(async |_: Progress| reports += 1);
            assert_eq!(call.await.unwrap().text(), "ok");
            assert_eq!(reports, 1);
        }
        let calls = fake.of("tools/call");
        let ids: HashSet<_> = calls.iter().map(|seen| seen.json()["id"].as_u64()).collect();
        assert_eq!(ids.len(), 4);
        for name in ["once", "unknown"] {
            let error = client.call_tool(name, json!({})).await.unwrap_err();
            assert!(matches!(error, CallError::Lost { .. }), "{error}");
            assert_eq!(client.call_tool(name, json!({})).await.unwrap().text(), "ok");
        }
        assert_eq!(fake.of("tools/call").len(), 8);
    });
}

// rows: LHTTP-6
#[test]
fn calls_that_find_the_session_forgotten_share_one_new_one() {
    run(async {
        let session = Arc::new(Mutex::new("a"));
        let now = Arc::clone(&session);
        let fake = Fake::open(move |seen| {
            let now = *now.lock().unwrap();
            if let Some(reply) = shakes_hands(seen, "2025-11-25", now) {
                return reply;
            }
            if seen.header("mcp-session-id") == Some(now) { json_reply(&text(seen, now)) } else { reply(404, "", "") }
        })
        .await;
        let client = connect(&fake).await;
        assert_eq!(client.call_tool("f", json!({})).await.unwrap().text(), "a");
        *session.lock().unwrap() = "b";
        let client = Arc::new(client);
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let client = Arc::clone(&client);
            calls.spawn(async move { client.call_tool("f", json!({})).await.unwrap().text() });
        }
        while let Some(text) = calls.join_next().await {
            assert_eq!(text.unwrap(), "b");
        }
        let handshakes = fake.of("initialize");
        assert_eq!(handshakes.len(), 2);
        assert_eq!(handshakes[1].header("mcp-session-id"), None);
        assert_eq!(fake.of("notifications/initialized").len(), 2);
        // What goes to the new session goes after its handshake.
        let told = fake.of("notifications/initialized")[1].number;
        assert!(
            fake.of("tools/call")
                .iter()
                .all(|seen| { seen.header("mcp-session-id") == Some("a") || seen.number > told })
        );
    });
}

// rows: LHTTP-6
#[test]
fn a_session_that_is_forgotten_twice_is_an_error() {
    run(async {
        let fake = legacy("2025-06-18", |seen| match seen.verb.as_str() {
            "GET" => reply(405, "", ""),
            _ => reply(404, JSON_TYPE, &seen.error(-32001, Value::Null)),
        })
        .await;
        let client = connect(&fake).await;
        let error = client.call_tool("f", json!({})).await.unwrap_err();
        assert!(matches!(&error, CallError::Server(error) if error.code.0 == -32001), "{error}");
        assert_eq!((fake.of("initialize").len(), fake.of("tools/call").len()), (2, 2));
        // And one that is not given anew at all.
        let first = AtomicBool::new(true);
        let fake = Fake::open(move |seen| match seen.method().as_str() {
            "initialize" if !first.swap(false, Ordering::SeqCst) => reply(401, "www-authenticate: Bearer\r\n", ""),
            _ => shakes_hands(seen, "2025-06-18", "s").unwrap_or_else(|| reply(404, "", "")),
        })
        .await;
        let client = connect(&fake).await;
        for _ in 0..2 {
            let error = client.call_tool("f", json!({})).await.unwrap_err();
            assert!(matches!(error, CallError::Http { status: 401, .. }), "{error}");
        }
    });
}

// rows: LHTTP-6
#[test]
fn what_begins_a_session_begins_no_other_one() {
    run(async {
        // Such as two machines that don't know each other's sessions.
        let fake = Fake::open(|seen| match (seen.verb.as_str(), seen.method().as_str()) {
            ("GET", _) => reply(405, "", ""),
            (_, "initialize") => {
                let info = json!({ "name": "old", "version": "1" });
                let result = json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": { "logging": {} },
                    "serverInfo": info,
                });
                reply(200, "content-type: application/json\r\nmcp-session-id: s\r\n", &seen.result(result))
            }
            (_, "notifications/initialized") => accepted(),
            (_, "server/discover") => reply(400, "", ""),
            _ => reply(404, "", ""),
        })
        .await;
        let client = quick().on_log(LoggingLevel::Info, |_| {}).http(fake.url()).await.unwrap();
        for _ in 0..5 {
            client.call_tool("f", json!({})).await.unwrap_err();
        }
        fake.wait_for("logging/setLevel", 6).await;
        client.close().await;
        // One to begin with, and one for each call.
        assert_eq!(fake.of("initialize").len(), 6);
    });
}

#[test]
fn a_call_ends_when_the_runtime_of_its_client_has_ended() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let first = runtime();
    let client =
        first.block_on(async { connect(&modern(json!([]), |seen| json_reply(&text(seen, "ok"))).await).await });
    first.shutdown_timeout(LONG);
    let call = async { client.call_tool("f", json!({})).timeout(None).await };
    let error = runtime().block_on(async { tokio::time::timeout(LONG, call).await.expect("it ends") }).unwrap_err();
    assert!(matches!(error, CallError::Lost { .. } | CallError::Closed { .. }), "{error}");
}

// rows: LHTTP-6, LHTTP-13
#[test]
fn a_client_that_only_listens_finds_the_session_forgotten_too() {
    run(async {
        let session = Arc::new(Mutex::new("a"));
        let ends = Arc::new(Notify::new());
        let (now, until) = (Arc::clone(&session), Arc::clone(&ends));
        let fake = Fake::open(move |seen| {
            let now = *now.lock().unwrap();
            match (seen.verb.as_str(), seen.method().as_str()) {
                ("GET", _) if seen.header("mcp-session-id") == Some(now) => {
                    let mut reply = stream("retry: 1\nid: 1\ndata:\n\n");
                    reply.push(Part::Wait(Arc::clone(&until)));
                    reply.push(end());
                    reply
                }
                ("GET", _) => reply(404, "", ""),
                (_, "initialize") => {
                    let info = json!({ "name": "old", "version": "1" });
                    let capabilities = json!({ "logging": {} });
                    let result =
                        json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info });
                    reply(200, &format!("{JSON_TYPE}mcp-session-id: {now}\r\n"), &seen.result(result))
                }
                (_, "logging/setLevel") => json_reply(&seen.result(json!({}))),
                _ => shakes_hands(seen, "2025-11-25", now).unwrap(),
            }
        })
        .await;
        let client = quick().on_log(LoggingLevel::Info, |_| {}).http(fake.url()).await.unwrap();
        fake.wait_for("GET", 1).await;
        *session.lock().unwrap() = "b";
        ends.notify_one();
        fake.wait_for("GET", 3).await;
        // What the old session knew is said to the new one.
        fake.wait_for("logging/setLevel", 2).await;
        let of = |method| fake.of(method).iter().map(|seen| seen.header("mcp-session-id").map(str::to_owned)).collect();
        let sessions: Vec<_> = of("GET");
        assert_eq!(sessions, [Some("a".to_owned()), Some("a".to_owned()), Some("b".to_owned())]);
        assert_eq!(of("logging/setLevel"), [Some("a".to_owned()), Some("b".to_owned())]);
        assert_eq!(fake.of("initialize").len(), 2);
        // The new session has no event of the old one.
        assert_eq!(fake.of("GET")[2].header("last-event-id"), None);
        drop(client);
    });
}

// rows: LHTTP-17, LHTTP-18
#[test]
fn a_stream_that_ends_before_the_answer_is_gone_on_with() {
    run(async {
        for version in ["2025-03-26", "2025-11-25"] {
            let call = Arc::new(Mutex::new(None::<Seen>));
            let fake = legacy(version, move |seen| match (seen.verb.as_str(), seen.header("last-event-id")) {
                ("GET", Some(id)) => {
                    assert_eq!(id, "e-2");
                    let call = call.lock().unwrap().clone().unwrap();
                    let mut reply = stream(&format!("id: e-3\ndata: {}\n\n", call.report(2)));
                    reply.push(chunk(&format!("id: e-4\ndata: {}\n\n", text(&call, "done"))));
                    reply.push(end());
                    reply
                }
                ("GET", None) => reply(405, "", ""),
                _ => {
                    *call.lock().unwrap() = Some(seen.clone());
                    let report = seen.report(1);
                    let mut reply = stream("id: e-1\nretry: 500\ndata:\n\n");
                    // The last event is not whole, and so it does not count.
                    reply.push(chunk(&format!("id: e-2\ndata: {report}\n\nid: e-3\ndata: {{")));
                    reply.push(Part::Close);
                    reply
                }
            })
            .await;
            let client = connect(&fake).await;
            let mut reports = Vec::new();
            let call = client.call_tool("f", json!({})).on_progress(async |report: Progress| reports.push(report.done));
            assert_eq!(call.await.unwrap().text(), "done");
            assert_eq!(reports, [1.0, 2.0]);
            let asked = fake.of("GET").into_iter().find(|seen| seen.header("last-event-id").is_some()).unwrap();
            let waited = asked.at - fake.of("tools/call")[0].at;
            assert!(waited >= Duration::from_millis(450) && waited < Duration::from_millis(5000), "{waited:?}");
            assert_eq!(asked.header("mcp-session-id"), Some("s-1"));
        }
    });
}

#[test]
fn a_stream_that_never_goes_on_is_given_up() {
    run(async {
        let fake = legacy("2025-11-25", |seen| match (seen.verb.as_str(), seen.header("last-event-id")) {
            ("GET", None) => reply(405, "", ""),
            _ => {
                let mut reply = stream("id: 1\nretry: 1\ndata:\n\n");
                reply.push(end());
                reply
            }
        })
        .await;
        let client = connect(&fake).await;
        // Two waits are as short as the server wants; the others take their time.
        tokio::select! {
            outcome = client.call_tool("f", json!({})) => panic!("there is no answer, and yet {outcome:?}"),
            () = fake.wait_for("GET", 3) => {}
        }
        assert_eq!(fake.of("GET").iter().filter(|seen| seen.header("last-event-id").is_some()).count(), 2);
        // Without an id, or when the server does not know it any more, there is nothing to go on with.
        let fake = legacy("2025-11-25", |seen| match seen.verb.as_str() {
            "GET" => reply(405, "", ""),
            _ if seen.json()["params"]["name"] == "id" => {
                let mut reply = stream("id: 1\nretry: 1\ndata:\n\n");
                reply.push(Part::Close);
                reply
            }
            _ => vec![stream("").remove(0), Part::Close],
        })
        .await;
        let client = connect(&fake).await;
        for (name, text) in [("id", "does not go on with it: 405"), ("none", "the answer was lost")] {
            let error = client.call_tool(name, json!({})).await.unwrap_err();
            assert!(matches!(error, CallError::Lost { .. }) && error.to_string().contains(text), "{error}");
        }
    });
}

// rows: LHTTP-13, LHTTP-18
#[test]
fn an_older_server_is_listened_to_for_as_long_as_the_client_lives() {
    run(async {
        let gets = AtomicUsize::new(0);
        let fake = legacy("2025-11-25", move |seen| match seen.verb.as_str() {
            "GET" => match gets.fetch_add(1, Ordering::SeqCst) {
                0 => {
                    let mut reply = stream(": hello\n\nid: 5\nretry: 1\ndata:\n\n");
                    reply.push(chunk("id: 6\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}\n\n"));
                    reply.push(Part::Close);
                    reply
                }
                _ => {
                    let ask = "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}\n\n";
                    let mut reply = stream(ask);
                    reply.push(Part::Hold);
                    reply
                }
            },
            _ => accepted(),
        })
        .await;
        let client = connect(&fake).await;
        // Answers have no method, and so they are named after the verb.
        fake.wait_for("POST", 2).await;
        let gets = fake.of("GET");
        assert_eq!(gets[0].header("last-event-id"), None);
        assert_eq!(gets[1].header("last-event-id"), Some("6"));
        let answers = fake.of("POST");
        assert!(answers.iter().all(|seen| seen.header("mcp-session-id") == Some("s-1")));
        assert_eq!(answers[0].body, r#"{"jsonrpc":"2.0","id":"q","result":{}}"#);
        assert_eq!(answers[1].json()["id"], 7);
        drop(client);
        fake.wait_for_gone(1).await;
    });
}

// rows: CANC-1
#[test]
fn a_call_that_is_dropped_closes_its_response() {
    run(async {
        // Before its first byte, between head and body, and in the middle of its events.
        for began in [None, Some(""), Some("data: {}\n\n")] {
            let fake = modern(json!([]), move |_| {
                let mut reply = began.map(stream).unwrap_or_default();
                reply.push(Part::Hold);
                reply
            })
            .await;
            let client = connect(&fake).await;
            {
                let mut call = client.call_tool("f", json!({})).progress_stream();
                tokio::select! {
                    _ = call.next() => panic!("there is no report"),
                    () = fake.wait_for("tools/call", 1) => {}
                }
            }
            fake.wait_for_gone(1).await;
            let call = client.call_tool("f", json!({})).timeout(Duration::from_millis(500));
            assert!(matches!(call.await, Err(CallError::Timeout { .. })));
            fake.wait_for_gone(2).await;
            client.close().await;
            assert_eq!(fake.methods(), ["server/discover", "tools/call", "tools/call"]);
        }
    });
}

// rows: CANC-1
#[test]
fn an_older_server_is_told_that_a_call_is_given_up() {
    run(async {
        let fake = legacy("2025-11-25", |seen| match seen.verb.as_str() {
            "GET" => reply(405, "", ""),
            _ => vec![Part::Hold],
        })
        .await;
        let client = connect(&fake).await;
        let call = client.call_tool("f", json!({})).timeout(Duration::from_millis(500));
        assert!(matches!(call.await, Err(CallError::Timeout { .. })));
        fake.wait_for("notifications/cancelled", 1).await;
        let cancelled = &fake.of("notifications/cancelled")[0];
        assert_eq!(cancelled.json()["params"]["requestId"], fake.of("tools/call")[0].json()["id"]);
        assert_eq!(cancelled.header("mcp-session-id"), Some("s-1"));
    });
}

#[test]
fn a_connection_is_used_again_after_an_answer() {
    run(async {
        let fake = modern(json!([]), |seen| {
            let mut reply = events(&[seen.report(1), text(seen, "ok")]);
            // More comes after the answer, and means nothing.
            reply.insert(reply.len() - 1, chunk(&format!(": bye\n\ndata: {}\n\n", text(seen, "again"))));
            reply
        })
        .await;
        let client = connect(&fake).await;
        for _ in 0..10 {
            assert_eq!(client.call_tool("f", json!({})).await.unwrap().text(), "ok");
        }
        let connections: HashSet<_> = fake.seen().iter().map(|seen| seen.connection).collect();
        // The rest of a response may still be on its way when the next call begins.
        assert!(connections.len() <= 3, "{connections:?}");
    });
}

// rows: HTTP-12, LHTTP-18
#[test]
fn a_stream_is_read_wherever_it_is_cut() {
    run(async {
        let cut = Arc::new(AtomicUsize::new(0));
        let now = Arc::clone(&cut);
        let body = |seen: &Seen| {
            let answer = text(seen, "ok é").replacen("\"id\"", "\ndata: \"id\"", 1);
            let before = ": keep-alive\r\n\r\nid: 0\nretry: 500\ndata:\n\nevent: ping\ndata: {}\n\n";
            format!("{before}event: message\ndata: {answer}\n\n")
        };
        let fake = modern(json!([]), move |seen| {
            let body = body(seen).into_bytes();
            let cut = now.load(Ordering::SeqCst).min(body.len());
            let mut reply = stream("");
            let piece = |bytes: &[u8]| {
                let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                chunk.extend_from_slice(bytes);
                chunk.extend_from_slice(b"\r\n");
                Part::Write(chunk)
            };
            let pieces: Vec<&[u8]> = if cut == 0 { body.chunks(1).collect() } else { vec![&body[..cut], &body[cut..]] };
            reply.extend(pieces.into_iter().filter(|bytes| !bytes.is_empty()).map(piece));
            reply.push(end());
            reply
        })
        .await;
        let client = connect(&fake).await;
        for at in 0..180 {
            cut.store(at, Ordering::SeqCst);
            assert_eq!(client.call_tool("f", json!({})).await.unwrap().text(), "ok é", "{at}");
        }
    });
}

/// The error of a call that is answered like this; the next call works.
async fn error_of(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> CallError {
    let fake = modern(json!([]), move |seen| match seen.json()["params"]["name"].as_str() {
        Some("good") => json_reply(&text(seen, "ok")),
        _ => answer(seen),
    })
    .await;
    let client = quick().max_message_size(100_000).http(fake.url()).await.unwrap();
    let error = client.call_tool("bad", json!({})).await.unwrap_err();
    assert_eq!(client.call_tool("good", json!({})).await.unwrap().text(), "ok");
    error
}

#[test]
fn what_is_no_answer_is_told_as_what_it_is() {
    run(async {
        type Answering = fn(&Seen) -> Reply;
        let of_status: [(Answering, &str); 8] = [
            (|_| accepted(), "202 Accepted: that is for notifications, and a request needs an answer"),
            (|_| reply(204, "", ""), "204 No Content: that is for notifications, and a request needs an answer"),
            (|_| reply(500, "", ""), "500 Internal Server Error"),
            (
                |_| reply(502, "content-type: text/html\r\n", "<html>\n <b>Bad</b>"),
                "502 Bad Gateway: it says `<html> <b>Bad</b>`",
            ),
            (
                |seen| reply(401, "www-authenticate: Bearer a=\"b\"\r\n", &seen.error(-1, Value::Null)),
                "401 Unauthorized: the challenge is `Bearer a=\"b\"`; no",
            ),
            (
                |_| reply(403, "www-authenticate: Bearer error=\"insufficient_scope\"\r\n", ""),
                "403 Forbidden: the challenge is `Bearer error=\"insufficient_scope\"`",
            ),
            (
                |_| reply(302, "location: http://x.example/\r\n", ""),
                "302 Found: it leads to `http://x.example/`, where it is not followed",
            ),
            (|_| reply(400, JSON_TYPE, "{}"), "400 Bad Request: it says `{}`"),
        ];
        for (answering, expected) in of_status {
            let expected = format!("the server answered with the status {expected}");
            assert_eq!(error_of(answering).await.to_string(), expected);
        }
        let refused: [(Answering, &str); 3] = [
            (|seen| reply(500, JSON_TYPE, &seen.error(-32603, Value::Null)), "no"),
            (|_| reply(400, JSON_TYPE, r#"{"jsonrpc":"2.0","error":{"code":-5,"message":"bare"}}"#), "bare"),
            (|_| json_reply(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-5,"message":"null"}}"#), "null"),
        ];
        for (answering, expected) in refused {
            match error_of(answering).await {
                CallError::Server(error) => assert_eq!(error.message, expected),
                other => panic!("{expected}: {other}"),
            }
        }
        let unreadable: [(Answering, &str); 7] = [
            (|_| json_reply(""), "there is no answer to the request in it"),
            (|_| json_reply("{"), "there is no answer to the request in it"),
            (|_| json_reply(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#), "there is no answer to the request in it"),
            (
                |_| reply(200, "content-type: text/html\r\n", "<html>"),
                "its type is `text/html`, expected `application/json` or `text/event-stream`; it says `<html>`",
            ),
            (|_| reply(200, "", ""), "it has no type, expected `application/json` or `text/event-stream`"),
            (|seen| json_reply(&text(seen, &"x".repeat(100_000))), "it is longer than the limit of 100000 bytes"),
            (|seen| events(&[text(seen, &"x".repeat(100_000))]), "it is longer than the limit of 100000 bytes"),
        ];
        for (answering, expected) in unreadable {
            assert_eq!(error_of(answering).await.to_string(), format!("the answer can't be read: {expected}"));
        }
        let lost: [Answering; 2] =
            [|_| events(&[]), |_| events(&["garbage".into(), "{}".into(), "[".into(), "[1]".into()])];
        for answering in lost {
            assert_eq!(error_of(answering).await.to_string(), "the answer was lost: the stream has ended before it");
        }
        // The connection ends before the answer begins, and in the middle of it.
        for cut in [vec![], b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{".to_vec()]
        {
            let error = error_of(move |_| vec![Part::Write(cut.clone()), Part::Close]).await;
            assert!(matches!(error, CallError::Lost { .. }), "{error}");
        }
    });
}

#[test]
fn what_never_ends_is_not_kept() {
    run(async {
        for start in ["data: ", ": ", "foo: ", "data: x\ndata: "] {
            let fake = modern(json!([]), move |_| {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                vec![Part::Write(format!("{head}{start}").into_bytes()), Part::Flood(u64::MAX)]
            })
            .await;
            let client = quick().max_message_size(100_000).http(fake.url()).await.unwrap();
            let is_data = start.starts_with("data");
            let patience = if is_data { LONG } else { Duration::from_secs(1) };
            let call = client.call_tool("f", json!({})).timeout(patience).await;
            match call.unwrap_err() {
                CallError::InvalidResult { reason, .. } if is_data => {
                    assert_eq!(reason, "it is longer than the limit of 100000 bytes");
                }
                CallError::Timeout { .. } if !is_data => {}
                other => panic!("{start}: {other}"),
            }
            fake.wait_for_gone(1).await;
        }
        let fake = modern(json!([]), |_| {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
            vec![Part::Write(head.into()), Part::Flood(u64::MAX)]
        })
        .await;
        let client = quick().max_message_size(100_000).http(fake.url()).await.unwrap();
        let error = client.call_tool("f", json!({})).await.unwrap_err();
        assert!(error.to_string().contains("longer than the limit"), "{error}");
        fake.wait_for_gone(1).await;
    });
}

#[test]
fn the_first_of_two_answers_counts_and_all_reports_come_before_it() {
    run(async {
        let fake = modern(json!([]), |seen| {
            let mut messages: Vec<String> = (1..=20_000).map(|done| seen.report(done)).collect();
            messages.extend([text(seen, "first"), text(seen, "second"), seen.report(30_000)]);
            events(&messages)
        })
        .await;
        let client = connect(&fake).await;
        let mut reports = Vec::new();
        let call =
            client.call_tool("f", json!({})).on_progress(async |report: Progress| reports.push(report.done as u32));
        assert_eq!(call.await.unwrap().text(), "first");
        assert_eq!(reports, (1..=20_000).collect::<Vec<_>>());
    });
}

// rows: AUTH-13
#[test]
fn a_token_stays_with_its_origin() {
    run(async {
        let other = Fake::open(|_| reply(500, "", "")).await;
        let leads_to = other.url();
        let fake = Fake::open(move |seen| match (seen.path.as_str(), seen.method().as_str()) {
            ("/mcp", _) => reply(307, "location: /mcp/\r\n", ""),
            (_, "server/discover") => discovered(seen),
            (_, "tools/list") => reply(307, &format!("location: {leads_to}\r\n"), ""),
            _ => json_reply(&text(seen, "ok")),
        })
        .await;
        let client = quick().bearer_token("t").http(fake.url()).await.unwrap();
        assert_eq!(client.call_tool("f", json!({})).await.unwrap().text(), "ok");
        let error = client.list_tools().await.unwrap_err();
        assert!(matches!(error, CallError::Http { status: 307, .. }), "{error}");
        assert!(other.seen().is_empty());
    });
}

// rows: LHTTP-7
#[test]
fn closing_ends_the_session_and_always_comes_back() {
    run(async {
        for (answer, gone) in [(405, false), (204, false), (0, true)] {
            let fake = Fake::open(move |seen| match seen.verb.as_str() {
                "DELETE" if gone => vec![Part::Hold],
                "DELETE" => reply(answer, "", ""),
                "GET" => {
                    let mut reply = stream(": hello\n\n");
                    reply.push(Part::Hold);
                    reply
                }
                _ => shakes_hands(seen, "2025-11-25", "s-1").unwrap(),
            })
            .await;
            let client = quick().shutdown_timeout(Duration::from_millis(300)).http(fake.url()).await.unwrap();
            fake.wait_for("GET", 1).await;
            tokio::time::timeout(LONG / 2, client.close()).await.unwrap();
            assert_eq!(fake.of("DELETE").len(), 1);
            assert_eq!(fake.of("DELETE")[0].header("mcp-session-id"), Some("s-1"));
            fake.wait_for_gone(1 + usize::from(gone)).await;
        }
    });
}

#[test]
fn a_server_that_is_gone_is_told_by_the_next_call() {
    run(async {
        let fake = modern(json!([]), |seen| json_reply(&text(seen, "ok"))).await;
        let client = connect(&fake).await;
        drop(fake);
        let error = client.call_tool("f", json!({})).await.unwrap_err();
        assert!(matches!(error, CallError::Unreachable { .. } | CallError::Lost { .. }), "{error}");
        let error = client.call_tool("f", json!({})).await.unwrap_err();
        assert!(matches!(&error, CallError::Unreachable { reason } if reason.contains("refused")), "{error}");
    });
}

#[test]
fn a_server_that_asks_without_end_costs_no_more_than_its_own_answers() {
    run(async {
        let fake = legacy("2025-11-25", |seen| match seen.verb.as_str() {
            "GET" => {
                let asks: String = (0..5000)
                    .map(|id| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n\n"))
                    .collect();
                let mut reply = stream(&asks);
                reply.push(Part::Hold);
                reply
            }
            // It takes no answer.
            _ if seen.json().get("method").is_none() => vec![Part::Hold],
            _ => json_reply(&text(seen, "ok")),
        })
        .await;
        let client = connect(&fake).await;
        fake.wait_for("POST", 64).await;
        assert_eq!(client.call_tool("f", json!({})).await.unwrap().text(), "ok");
        assert_eq!(fake.of("POST").len(), 64);
        drop(client);
        fake.wait_for_gone(65).await;
    });
}
