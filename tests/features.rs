//! What stands around the handlers: state, lifespans, layers, logging, pages and extensions.

mod support;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use mcp_server::layer::{Next, Request};
use mcp_server::prelude::*;
use mcp_server::protocol::{ErrorObject, LoggingLevel};
use mcp_server::{Extension, OtherResult, RequestError, ServerResult, State, Tool};
use serde_json::json;
use support::{block_on, exchange, on};

// State and lifespan

#[derive(Default)]
struct Counter(AtomicU32);

/// Count the calls.
#[tool]
async fn count(counter: State<Counter>) -> u32 {
    counter.0.fetch_add(1, Ordering::Relaxed) + 1
}

#[test]
fn all_calls_share_the_state_of_their_server() {
    on(Server::new("scenario").state(Counter::default()).tool(count)).check(
        r#"
        → 1 tools/call count
        ← 1 text 1
        → 2 tools/call count
        ← 2 text 2
        "#,
    );
}

#[test]
#[should_panic(
    expected = "takes a `State<features::Counter>`, and the server has none: add `.state(…)` with a `features::Counter`"
)]
fn a_state_that_is_missing_shows_before_the_first_call() {
    let _ = block_on(Server::new("scenario").tool(count).serve(tokio::io::empty(), tokio::io::sink()));
}

#[test]
#[should_panic(expected = "takes a `State<features::Counter>`, and the server has none")]
fn a_state_that_is_missing_shows_for_what_is_switched_off_too() {
    let server = Server::new("scenario").tool(count);
    server.handle().enable_tool("count", false);
    let _ = block_on(server.serve(tokio::io::empty(), tokio::io::sink()));
}

#[test]
#[should_panic(expected = "the server has two states of the type `features::Counter`")]
fn two_states_of_one_type_show_at_start_up() {
    let _ = Server::new("scenario").state(Counter::default()).state(Counter::default());
}

/// A modern request, as a line.
fn request(id: u32, method: &str, params: &serde_json::Value) -> String {
    let mut params = params.clone();
    params["_meta"] = serde_json::from_str(support::META).unwrap();
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

struct Connected {
    log: Log,
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<&'static str>>>);

impl Log {
    fn note(&self, what: &'static str) {
        self.0.lock().unwrap().push(what);
    }

    fn taken(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Use what was opened.
#[tool]
async fn use_it(connected: State<Connected>) -> String {
    // Others go on meanwhile.
    tokio::task::yield_now().await;
    connected.log.note("used");
    "used".into()
}

#[test]
fn a_lifespan_opens_before_the_first_request_and_closes_after_the_last_answer() {
    let log = Log::default();
    let (outer, inner) = (log.clone(), log.clone());
    let server = Server::new("scenario")
        .lifespan(
            {
                let log = outer.clone();
                || async move {
                    log.note("outer opened");
                    Ok::<_, std::io::Error>(Counter::default())
                }
            },
            move |_| async move { outer.note("outer closed") },
        )
        .lifespan(
            {
                let log = inner.clone();
                || async move {
                    log.note("opened");
                    Ok::<_, std::io::Error>(Connected { log })
                }
            },
            |connected: Arc<Connected>| async move { connected.log.note("closed") },
        )
        .tool(use_it)
        .tool(count);
    on(server).check(
        r#"
        → 1 tools/call use_it
        → end
        ← 1 text used
        "#,
    );
    assert_eq!(log.taken(), ["outer opened", "opened", "used", "closed", "outer closed"]);
}

#[test]
fn what_can_not_be_opened_ends_serving_before_it_begins() {
    let log = Log::default();
    let closed = log.clone();
    let server = Server::new("scenario")
        .lifespan(
            || async { Ok::<_, std::io::Error>(Counter::default()) },
            move |_| async move { closed.note("closed") },
        )
        .lifespan(|| async { Err::<u8, _>(std::io::Error::other("no database")) }, |_| async {});
    let error = block_on(server.serve(tokio::io::empty(), tokio::io::sink())).unwrap_err();
    assert_eq!(error.to_string(), "could not open what the server needs");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "no database");
    assert_eq!(log.taken(), ["closed"]);
}

/// Notes what becomes of it.
struct Noting(Log);

impl Drop for Noting {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

/// Wait for ever.
#[tool]
async fn wait(log: State<Connected>) -> String {
    let _noting = Noting(log.log.clone());
    log.log.note("waits");
    std::future::pending().await
}

#[test]
fn what_handlers_use_is_closed_when_all_are_gone() {
    for threads in [1, 2] {
        let log = Log::default();
        let (opened, drain) = (log.clone(), std::time::Duration::from_millis(20));
        let server = Server::new("scenario").drain_timeout(drain).tool(wait).lifespan(
            || async move { Ok::<_, std::io::Error>(Connected { log: opened }) },
            |connected: Arc<Connected>| async move { connected.log.note("closed") },
        );
        let call = request(1, "tools/call", &json!({ "name": "wait" }));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap();
        // The input ends, the call does not.
        runtime.block_on(server.serve(call.as_bytes(), tokio::io::sink())).unwrap();
        assert_eq!(log.taken(), ["waits", "dropped", "closed"]);
    }
}

#[test]
fn handlers_are_gone_before_the_close_when_nothing_can_be_written() {
    let log = Log::default();
    let opened = log.clone();
    let server = Server::new("scenario").tool(wait).tool(echo).lifespan(
        || async move { Ok::<_, std::io::Error>(Connected { log: opened }) },
        |connected: Arc<Connected>| async move { connected.log.note("closed") },
    );
    let calls = request(1, "tools/call", &json!({ "name": "wait" })) + &request(2, "tools/list", &json!({}));
    block_on(async {
        let (ours, mut theirs) = tokio::io::duplex(1 << 16);
        let (reader, _) = tokio::io::split(ours);
        tokio::io::AsyncWriteExt::write_all(&mut theirs, calls.as_bytes()).await.unwrap();
        // A writer whose other end is gone.
        let (writer, gone) = tokio::io::duplex(16);
        drop(gone);
        let _ = server.serve(reader, writer).await;
    });
    assert_eq!(log.taken(), ["waits", "dropped", "closed"]);
}

// Layers

/// Say it back.
#[tool]
async fn echo(text: String, ctx: Context) -> Result<String, ToolError> {
    ctx.report_progress(1, 1, None).await?;
    Ok(text)
}

fn noting(log: &Log, before: &'static str, after: &'static str) -> impl mcp_server::layer::Layer + use<> {
    let log = log.clone();
    move |request: Request, next: Next| {
        let log = log.clone();
        async move {
            log.note(before);
            let result = next.run(request).await;
            log.note(after);
            result
        }
    }
}

async fn guard(request: Request, next: Next) -> Result<ServerResult, ErrorObject> {
    assert!(request.params().is_some());
    match (request.method(), request.target().as_deref()) {
        ("tools/call", Some("forbidden")) => Err(ErrorObject::invalid_params("`forbidden` is not for you")),
        ("tools/call", Some("early")) => {
            Ok(ServerResult::CallTool(mcp_server::protocol::CallToolResult::from_text("early")))
        }
        ("tools/call", Some("boom")) => panic!("secret text"),
        _ => match next.run(request).await? {
            ServerResult::CallTool(result) if result.text() == "change me" => {
                Ok(ServerResult::CallTool(mcp_server::protocol::CallToolResult::from_text("changed")))
            }
            result => Ok(result),
        },
    }
}

#[test]
fn layers_stand_around_every_request_the_first_outermost() {
    let log = Log::default();
    let server = Server::new("scenario")
        .version("1.2.3")
        .layer(noting(&log, "a(", ")a"))
        .layer(noting(&log, "b(", ")b"))
        .layer(guard)
        .tool(echo);
    on(server).check(
        r#"
        → 1 tools/call echo {"text":"x"} token "p"
        ← progress "p" 1/1
        ← 1 text x
        → 2 tools/list
        ← 2 {"tools":[{"name":"echo"}],"ttlMs":0,"cacheScope":"private"}
        → 3 server/discover
        ← 3 {"supportedVersions":["2026-07-28"]}
        → 4 tools/call forbidden
        ← 4 error -32602 `forbidden` is not for you
        → 5 tools/call early
        ← 5 text early
        → 6 tools/call echo {"text":"change me"}
        ← 6 text changed
        → 7 tools/call boom
        ← 7 error -32603 the method `tools/call` failed unexpectedly
        → 8 x/y
        ← 8 error -32601 the method `x/y` is not offered here
        → 9 tools/call echo {"text":7}
        ← 9 failed text: expected a string, got the number 7
        "#,
    );
    assert_eq!(log.taken()[..4], ["a(", "b(", ")b", ")a"]);
    let log = Log::default();
    on(Server::new("scenario").layer(noting(&log, "(", ")")).tool(echo)).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call echo {"text":"x"} token 1
        ← progress 1 1/1
        ← 1 text x
        → 2 tools/list
        ← 2 {"tools":[{"name":"echo"}]}
        "#,
    );
    assert_eq!(log.taken(), ["(", ")", "(", ")"]);
}

// Logging

/// Say something at each level.
#[tool]
async fn chatter(ctx: Context) -> Result<String, ToolError> {
    ctx.log(LoggingLevel::Debug, "looking").await?;
    ctx.report_progress(1, 3, None).await?;
    ctx.log_as("db", LoggingLevel::Info, json!({ "rows": 3 })).await?;
    ctx.report_progress(2, 3, None).await?;
    ctx.log(LoggingLevel::Error, format!("{} lost", 2)).await?;
    Ok(format!("info wanted: {}", ctx.logs(LoggingLevel::Info)))
}

// rows: LOG-1, LOG-2, LOG-3, LOG-4
#[test]
fn a_request_gets_the_messages_that_it_asks_for_in_order_with_its_reports() {
    let server = || Server::new("scenario").logging().tool(chatter);
    on(server()).check(
        r#"
        → 0 server/discover
        ← 0 {"capabilities":{"tools":{},"logging":{}}}
        → 1 tools/call chatter
        ← 1 text info wanted: false
        → 2 tools/call chatter token "p" meta {"io.modelcontextprotocol/logLevel":"info"}
        ← progress "p" 1/3
        then
        ← {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"db","data":{"rows":3}}}
        then
        ← progress "p" 2/3
        then
        ← {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"2 lost"}}
        then
        ← 2 text info wanted: true
        → 3 tools/call chatter meta {"io.modelcontextprotocol/logLevel":"emergency"}
        ← 3 text info wanted: false
        "#,
    );
    // Without `logging` there is none, whatever is asked.
    on(Server::new("scenario").tool(chatter)).check(
        r#"
        → 0 server/discover
        ← 0 {"capabilities":{"tools":{}}}
        → 1 tools/call chatter meta {"io.modelcontextprotocol/logLevel":"debug"}
        ← 1 text info wanted: false
        "#,
    );
}

// rows: LOG-5, ERR-4
#[test]
fn an_unknown_level_is_refused() {
    on(Server::new("scenario").logging().tool(chatter)).check(
        r#"
        → 1 tools/call chatter meta {"io.modelcontextprotocol/logLevel":"loud"}
        ← 1 error -32602 `_meta.io.modelcontextprotocol/logLevel` names no level; known are debug, info, notice, warning, error, critical, alert, emergency
        → 2 tools/call chatter meta {"io.modelcontextprotocol/logLevel":7}
        ← 2 error -32602 `_meta.io.modelcontextprotocol/logLevel` names no level; …
        "#,
    );
}

// rows: LEG-3, LOG-4
#[test]
fn older_clients_set_a_level_for_their_connection() {
    for version in ["2024-11-05", "2025-11-25"] {
        on(Server::new("scenario").logging().tool(chatter)).check_legacy(
            version,
            r#"
            → 1 tools/call chatter
            ← 1 text info wanted: false
            → 2 logging/setLevel {"level":"error"}
            ← {"jsonrpc":"2.0","id":2,"result":{}}
            → 3 tools/call chatter
            ← told notifications/message {"level":"error","data":"2 lost"}
            ← 3 text info wanted: false
            → 4 logging/setLevel {"level":"loud"}
            ← 4 error -32602 `params.level` must be one of debug, info, …
            → 5 logging/setLevel {}
            ← 5 error -32602 `params.level` is missing: a string
            "#,
        );
    }
    on(Server::new("scenario").tool(chatter)).check_legacy(
        "2025-11-25",
        r#"
        → 1 logging/setLevel {"level":"error"}
        ← 1 error -32601 the method `logging/setLevel` is not offered here
        "#,
    );
}

// rows: LEG-3
#[test]
fn what_is_about_the_connection_comes_to_no_layer() {
    let log = Log::default();
    let server = Server::new("scenario").layer(noting(&log, "(", ")")).logging().tool(echo);
    let handle = server.handle();
    let about = mcp_server::Resource::builder("shop://about").read(|(), _ctx: Context| async { "a shop" });
    handle.add_resource(about).unwrap();
    on(server).check_legacy(
        "2025-11-25",
        r#"
        → 1 ping {}
        ← 1 {}
        → 2 logging/setLevel {"level":"info"}
        ← 2 {}
        → 3 resources/subscribe {"uri":"shop://about"}
        ← 3 {}
        → 4 resources/unsubscribe {"uri":"shop://about"}
        ← 4 {}
        "#,
    );
    assert!(log.taken().is_empty());
}

#[test]
fn what_is_written_for_debugging_tells_nothing_of_the_params() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (of_layer, of_completer) = (Arc::clone(&seen), Arc::clone(&seen));
    let layer = move |request: Request, next: Next| {
        of_layer.lock().unwrap().push(format!("{request:?}"));
        next.run(request)
    };
    let mut letter = mcp_server::Prompt::builder("letter");
    let to = letter.parameter::<String, _>("to", "To whom.");
    letter.complete("to", move |completing: mcp_server::Completing| {
        of_completer.lock().unwrap().push(format!("{completing:?}"));
        vec!["Ada"]
    });
    let result = letter.returns::<String>();
    let letter = letter.handler(move |call| match to.take(call) {
        Some(to) => call.run(async { to }, result),
        None => call.refuse(),
    });
    on(Server::new("scenario").layer(layer).prompt(letter)).check(
        r#"
        → 1 completion/complete {"ref":{"type":"ref/prompt","name":"letter"},"argument":{"name":"to","value":"secret"},"context":{"arguments":{"from":"secret"}}}
        ← 1 {"completion":{"values":["Ada"]}}
        "#,
    );
    let seen = seen.lock().unwrap().join("\n");
    assert!(seen.contains("completion/complete") && seen.contains("Completing"), "{seen}");
    assert!(!seen.contains("secret"), "{seen}");
}

// Lists

fn numbered(at: usize) -> Tool {
    let mut tool = Tool::builder(format!("tool_{at}"));
    let result = tool.returns::<()>();
    tool.handler(move |call| call.run(async {}, result))
}

// rows: PAGE-1, PAGE-2, PAGE-5, CACHE-2
#[test]
fn every_list_comes_in_pages_that_any_connection_can_go_on_with() {
    let server = || (0..5).fold(Server::new("scenario").page_size(2), |server, at| server.tool(numbered(at)));
    on(server()).check(
        r#"
        → 1 tools/list
        ← 1 {"tools":[{"name":"tool_0"},{"name":"tool_1"}],"nextCursor":"tools-1","cacheScope":"private"}
        → 2 tools/list {"cursor":"zzz"}
        ← 2 error -32602 `params.cursor` is none that this list gave out
        → 3 tools/list {"cursor":7}
        ← 3 error -32602 `params.cursor` must be a string
        → 4 tools/list {"cursor":"prompts-1"}
        ← 4 error -32602 `params.cursor` is none that this list gave out
        "#,
    );
    let input = |cursor: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"cursor":"{cursor}","_meta":{}}}}}"#,
            support::META
        )
    };
    let second = exchange(server(), &(input("tools-1") + "\n"));
    assert!(second[0].contains("tool_2") && second[0].contains(r#""nextCursor":"tools-2""#), "{second:?}");
    let third = exchange(server(), &(input("tools-2") + "\n"));
    assert!(third[0].contains("tool_4") && !third[0].contains("nextCursor"), "{third:?}");
}

// Extensions

#[derive(serde::Deserialize)]
struct Weigh {
    parcel: String,
}

fn scales(heard: &Log) -> Extension {
    let heard = heard.clone();
    Extension::new("com.example/scales", json!({ "unit": "g" }))
        .method("com.example/weigh", |weigh: Weigh, _: Context| async move {
            match weigh.parcel.len() {
                0 => Err(RequestError::invalid_params("nothing to weigh")),
                grams => Ok(json!({ "grams": grams })),
            }
        })
        .method("com.example/later", |_: serde_json::Value, _: Context| async move {
            let members = json!({ "ticket": 7 }).as_object().cloned().unwrap_or_default();
            Ok::<_, RequestError>(OtherResult::new(members).result_type("com.example/ticket"))
        })
        .notification("com.example/opened", move |_: serde_json::Value| heard.note("opened"))
}

// rows: EXT-1, EXT-3, EXT-4, EXT-5, RTYPE-1
#[test]
fn an_extension_is_for_those_who_declare_it() {
    let heard = Log::default();
    let server = || Server::new("scenario").tool(echo).extension(scales(&heard));
    on(server()).with(json!({ "extensions": { "com.example/scales": {} } })).check(
        r#"
        → 1 server/discover
        ← 1 {"capabilities":{"tools":{},"extensions":{"com.example/scales":{"unit":"g"}}}}
        → 2 com.example/weigh {"parcel":"books"}
        ← 2 {"grams":5,"resultType":"complete"}
        → 3 com.example/weigh {"parcel":""}
        ← 3 error -32602 nothing to weigh
        → 4 com.example/weigh {}
        ← 4 error -32602 `params` can't be read: missing field `parcel`…
        → notify com.example/opened {}
        → 5 com.example/none {}
        ← 5 error -32601 the method `com.example/none` is not offered here
        "#,
    );
    assert_eq!(heard.taken(), ["opened"]);
    on(server()).check(
        r#"
        → 1 com.example/weigh {"parcel":"books"}
        ← {"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"the method `com.example/weigh` is part of the extension `com.example/scales`: declare it to use it","data":{"requiredCapabilities":{"extensions":{"com.example/scales":{}}}}}}
        "#,
    );
    on(Server::new("scenario").tool(echo)).check(
        r#"
        → 1 server/discover
        ← {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"0.0.0"}}}}
        "#,
    );
    // An extension of stateless requests is no part of a handshake.
    on(server()).with(json!({ "extensions": { "com.example/scales": {} } })).check_legacy(
        "2025-11-25",
        r#"
        → 1 com.example/weigh {"parcel":"books"}
        ← 1 error -32601 the method `com.example/weigh` is not offered here
        "#,
    );
    on(Server::new("scenario").extension(scales(&heard).before_2026()))
        .with(json!({ "extensions": { "com.example/scales": {} } }))
        .check_legacy(
            "2025-11-25",
            r#"
            → 1 com.example/weigh {"parcel":"books"}
            ← {"jsonrpc":"2.0","id":1,"result":{"grams":5}}
            "#,
        );
}

// rows: EXT-2
#[test]
fn an_extension_has_an_identifier_with_a_prefix() {
    for id in ["foo", "", "/x", "com..example/x", "a b/x", "com.example/a b"] {
        let made = std::panic::catch_unwind(|| Extension::new(id, json!({})));
        assert!(made.is_err(), "{id}");
    }
    Extension::new("io.modelcontextprotocol/ui", json!({}));
}

struct Rash;

impl<'de> serde::Deserialize<'de> for Rash {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("secret text")
    }
}

#[test]
fn what_a_method_does_wrong_ends_its_own_call() {
    let rash = Extension::new("com.example/rash", json!({}))
        .method("com.example/read", |_: Rash, _: Context| async { Ok::<_, RequestError>(json!({})) })
        .method(
            "com.example/start",
            |_: serde_json::Value, _: Context| -> std::future::Ready<Result<serde_json::Value, RequestError>> {
                panic!("secret text")
            },
        )
        .method("com.example/missing", |_: serde_json::Value, _: Context| async {
            Err::<(), _>(RequestError::not_found())
        });
    on(Server::new("scenario").extension(rash)).with(json!({ "extensions": { "com.example/rash": {} } })).check(
        r#"
        → 1 com.example/read {}
        ← 1 error -32603 the method `com.example/read` failed unexpectedly
        → 2 com.example/start {}
        ← 2 error -32603 the method `com.example/start` failed unexpectedly
        → 3 com.example/missing {}
        ← 3 error -32602 not found
        "#,
    );
}

// rows: RTYPE-1
#[test]
fn the_type_of_a_result_stands_among_its_members_or_is_refused() {
    let back = Extension::new("com.example/back", json!({}))
        .before_2026()
        .method("com.example/back", |result: serde_json::Value, _: Context| async move {
            Ok::<_, RequestError>(result["result"].clone())
        });
    let mut meta: serde_json::Value = serde_json::from_str(support::META).unwrap();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "extensions": { "com.example/back": {} } });
    let input = |result: serde_json::Value| {
        let params = json!({ "result": result, "_meta": meta });
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": 1, "method": "com.example/back", "params": params }))
    };
    let result = json!({ "a": 1, "resultType": "com.example/ticket", "_meta": { "b": 2 } });
    let good = input(result);
    let bad = input(json!({ "_meta": 7 }));
    assert_eq!(
        exchange(Server::new("scenario").extension(back), &(good + &bad)),
        [
            r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"resultType":"com.example/ticket","_meta":{"b":2,"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"0.0.0"}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the `_meta` of a result must be an object, and is the number 7"}}"#
        ]
    );
}

// rows: EXT-3
#[test]
fn a_notification_of_an_extension_is_heard_from_those_who_declare_it() {
    let heard = Log::default();
    let server = |older: bool| {
        let scales = scales(&heard);
        Server::new("scenario").extension(if older { scales.before_2026() } else { scales })
    };
    let with = json!({ "extensions": { "com.example/scales": {} } });
    let opened = r#"
        → notify com.example/opened {}
        → 1 ping {}
        ← 1 {}
        "#;
    let check = |older: bool, declared: bool, times: usize| {
        let capabilities = if declared { with.clone() } else { json!({}) };
        on(server(older)).with(capabilities).check_legacy("2025-11-25", opened);
        assert_eq!(heard.taken().len(), times, "{older} {declared}");
    };
    check(true, true, 1);
    check(true, false, 0);
    check(false, true, 0);
    // Without a handshake: as far as the notification says so.
    for (capabilities, times) in [(r#"{"extensions":{"com.example/scales":{}}}"#, 1), ("{}", 0)] {
        on(server(false)).check_bare(&format!(
            r#"
            → {{"jsonrpc":"2.0","method":"com.example/opened","params":{{"_meta":{{"io.modelcontextprotocol/clientCapabilities":{capabilities}}}}}}}
            → {{"jsonrpc":"2.0","id":1,"method":"ping"}}
            ← 1 {{}}
            "#
        ));
        assert_eq!(heard.taken().len(), times, "{capabilities}");
    }
    on(server(false)).check_bare(
        r#"
        → {"jsonrpc":"2.0","method":"com.example/opened"}
        → {"jsonrpc":"2.0","id":1,"method":"ping"}
        ← 1 {}
        "#,
    );
    assert_eq!(heard.taken(), ["opened"]);
}

#[test]
#[should_panic(
    expected = "the extensions `com.example/scales` and `com.example/other` both have a notification `com.example/opened`"
)]
fn two_extensions_with_one_notification_show_at_start_up() {
    let other =
        Extension::new("com.example/other", json!({})).notification("com.example/opened", |_: serde_json::Value| {});
    let _ = Server::new("scenario").extension(scales(&Log::default())).extension(other);
}

#[test]
#[should_panic(expected = "the extension `com.example/scales` has two notifications `com.example/opened`")]
fn a_notification_that_is_there_twice_shows_at_start_up() {
    let _ = scales(&Log::default()).notification("com.example/opened", |_: serde_json::Value| {});
}
