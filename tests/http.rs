//! Streamable HTTP on a real socket: the stateless revision, and what holds for every request.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use mcp_server::Tool;
use mcp_server::prelude::*;
use mcp_server::protocol::{LoggingLevel, ProtocolVersion};
use serde_json::{Value, json};
use support::http::{Answer, Ask, Connection, LONG, Site, report_of, run, text_of};
use support::tools;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

/// The number of an error, and the status that it came with.
async fn refused(answer: Answer) -> (u16, i64) {
    (answer.status.as_u16(), answer.error().await.0)
}

// rows: HTTP-1, HTTP-10, HTTP-11, HTTP-12, HTTP-13, HTTP-15
#[test]
fn an_answer_is_json_until_something_is_said_before_it() {
    run(async {
        let site = Site::open(tools::server()).await;
        let answer = site.send(Ask::call(7, "echo", json!({ "text": "hi" }))).await;
        assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, Some("application/json")));
        assert_eq!(answer.header("mcp-session-id"), None);
        let response = answer.json().await;
        assert_eq!((&response["id"], text_of(&response)), (&json!(7), "hi"));

        // With what an older client would send beside it, which means nothing here.
        let ask = Ask::call("7", "count", json!({ "n": 3 })).header("last-event-id", "1-0").session("nope");
        let mut answer = site.send(ask).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.header("x-accel-buffering"), Some("no"));
        assert_eq!(answer.header("mcp-session-id"), None);
        for done in 1..=3 {
            let event = answer.event().await.unwrap();
            assert_eq!((&event.id, event.retry, event.comment), (&None, None, false));
            assert_eq!(report_of(&event.message()), (json!("token \"7\""), json!(done)));
        }
        let response = answer.message().await.unwrap();
        assert_eq!((&response["id"], text_of(&response)), (&json!("7"), "3"));
        assert!(answer.event().await.is_none(), "the stream ends with the response");
        site.close().await;
    });
}

// rows: HTTP-7, HTTP-11, PROG-6
#[test]
fn reports_never_take_the_place_of_the_answer() {
    run(async {
        for tool in ["count", "count_sync"] {
            for (json_only, accept, events) in [
                (false, "application/json, text/event-stream", 3),
                (false, "text/event-stream", 3),
                (false, "*/*", 3),
                (false, "application/json", 0),
                (true, "application/json, text/event-stream", 0),
            ] {
                let http = tools::server().http();
                let site = Site::of(if json_only { http.json_only() } else { http }).await;
                let answer = site.send(Ask::call(1, tool, json!({ "n": 3 })).with("accept", accept)).await;
                let messages = if events > 0 { answer.messages().await } else { vec![answer.json().await] };
                let (response, reports) = messages.split_last().unwrap();
                assert_eq!(text_of(response), "3", "{accept}");
                let done: Vec<Value> = reports.iter().map(|report| report_of(report).1).collect();
                assert_eq!(done, (1..=events).map(Value::from).collect::<Vec<_>>(), "{tool} {accept}");
                site.close().await;
            }
        }
    });
}

// rows: HTTP-7
#[test]
fn a_client_that_takes_only_events_gets_events() {
    run(async {
        let site = Site::open(tools::server()).await;
        let ask = Ask::call(1, "echo", json!({ "text": "hi" }));
        let messages = site.send(ask.clone().with("accept", "text/event-stream")).await.messages().await;
        assert_eq!(messages.len(), 1);
        assert_eq!(text_of(&messages[0]), "hi");
        assert_eq!(refused(site.send(ask.clone().with("accept", "text/html")).await).await, (406, -32600));
        assert_eq!(refused(site.send(ask.clone().with("content-type", "text/plain")).await).await, (415, -32600));
        assert_eq!(refused(site.send(ask.without("content-type")).await).await, (415, -32600));
        site.close().await;
    });
}

// rows: HTTP-1
#[test]
fn other_methods_are_not_allowed() {
    run(async {
        let modern = Site::open(tools::server().protocol_versions([ProtocolVersion::LATEST])).await;
        for method in ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"] {
            let answer = modern.send(Ask::new(method).header("accept", "text/event-stream")).await;
            assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, Some("POST")), "{method}");
        }
        modern.close().await;
        let both = Site::open(tools::server()).await;
        for method in ["PUT", "PATCH", "OPTIONS"] {
            let answer = both.send(Ask::new(method)).await;
            assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, Some("POST, GET, DELETE")));
        }
        both.close().await;
    });
}

// rows: ERR-1, ERR-2, ERR-3, ERR-8, ERR-15, HTTP-20, BASE-11, ERA-2, META-2, VER-1
#[test]
fn each_error_has_its_status_and_its_id() {
    run(async {
        let site = Site::open(tools::server()).await;
        for method in ["x/y", "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]
        {
            let answer = site.send(Ask::modern("a", method, json!({}))).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{method}");
            let body = answer.json().await;
            assert_eq!((&body["error"]["code"], &body["id"]), (&json!(-32601), &json!("a")), "{method}");
        }
        // A fault of the call itself is no fault of the HTTP request.
        for (name, code) in [("nope", -32602), ("boom", -32603)] {
            let answer = site.send(Ask::call(3, name, json!({}))).await;
            assert_eq!(answer.status, StatusCode::OK);
            let body = answer.json().await;
            assert_eq!((&body["error"]["code"], &body["id"]), (&json!(code), &json!(3)));
        }
        let old = |name: &str| {
            Ask::text(&format!(
                r#"{{"jsonrpc":"2.0","id":4,"method":"server/discover","params":{{"_meta":{{{name}}}}}}}"#
            ))
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "server/discover")
        };
        let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
        let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
        for (meta, status, code) in [
            (String::new(), 400, -32602),
            (version.to_owned(), 400, -32602),
            (capabilities.to_owned(), 400, -32602),
            (format!("{version},{capabilities}"), 200, 0),
        ] {
            let answer = site.send(old(&meta)).await;
            assert_eq!(answer.status.as_u16(), status, "{meta}");
            let body = answer.json().await;
            assert_eq!((body["error"]["code"].as_i64().unwrap_or(0), &body["id"]), (code, &json!(4)));
        }
        for (body, code) in [
            ("{", -32700),
            ("\u{1}", -32700),
            (r#"{"id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            ("[]", -32600),
            ("5", -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#, -32602),
        ] {
            let ask = Ask::text(body).header("mcp-protocol-version", "2026-07-28").header("mcp-method", "ping");
            assert_eq!(refused(site.send(ask).await).await, (400, code), "{body}");
        }
        site.close().await;
    });
}

// rows: HDR-3, HDR-4, HDR-5, HDR-6, ERR-6, ERA-4, VER-7
#[test]
fn headers_that_say_something_else_than_the_body_are_refused() {
    run(async {
        let site = Site::open(tools::server()).await;
        let call = || Ask::call(1, "echo", json!({ "text": "hi" }));
        for (what, ask) in [
            ("no version", call().without("mcp-protocol-version")),
            ("no method", call().without("mcp-method")),
            ("no name", call().without("mcp-name")),
            ("another version", call().with("mcp-protocol-version", "2025-11-25")),
            ("an unknown version", call().with("mcp-protocol-version", "v999")),
            ("another method", call().with("mcp-method", "tools/list")),
            ("in capitals", call().with("mcp-method", "TOOLS/CALL")),
            ("another name", call().with("mcp-name", "add")),
            ("two names", call().header("mcp-name", "echo")),
            ("two methods", call().header("mcp-method", "tools/call")),
            ("two versions", call().header("mcp-protocol-version", "2026-07-28")),
            ("a name where there is none", {
                Ask::modern(1, "tools/call", json!({ "arguments": {} })).header("mcp-name", "echo")
            }),
        ] {
            let answer = site.send(ask).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{what}");
            let body = answer.json().await;
            assert_eq!((&body["error"]["code"], &body["id"]), (&json!(-32020), &json!(1)), "{what}: {body}");
        }
        for (what, ask) in [
            ("space around", call().with("mcp-name", "  echo ").with("mcp-method", "\ttools/call\t")),
            ("names in capitals", call().without("mcp-method").header("MCP-METHOD", "tools/call")),
            ("a name that nobody asks for", Ask::modern(1, "tools/list", json!({})).header("mcp-name", "x")),
        ] {
            let answer = site.send(ask).await;
            assert_eq!(answer.status, StatusCode::OK, "{what}");
            assert!(answer.json().await["result"].is_object(), "{what}");
        }
        let ask = Ask::modern(
            1,
            "server/discover",
            json!({
                "_meta": { "io.modelcontextprotocol/protocolVersion": "1900-01-01" }
            }),
        );
        let answer = site.send(ask.with("mcp-protocol-version", "1900-01-01")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        let error = answer.json().await["error"].take();
        assert_eq!(error["code"], -32022);
        assert_eq!(error["data"], json!({ "supported": ["2026-07-28"], "requested": "1900-01-01" }));
        site.close().await;
    });
}

/// Addresses can have any letters, where names of tools can't.
fn resources() -> Server {
    /// Any text.
    #[resource("shop://{name}")]
    async fn any(name: String) -> String {
        name
    }

    Server::new("shop").resource(any)
}

// rows: HDR-8, HDR-9
#[test]
fn a_name_that_no_header_can_have_is_encoded() {
    run(async {
        let site = Site::open(resources()).await;
        let read = |header: &[u8]| {
            let ask = Ask::modern(1, "resources/read", json!({ "uri": "shop://café" })).without("mcp-name");
            if header.is_empty() { ask } else { ask.raw_header("mcp-NAME", header) }
        };
        // `shop://café`
        for (header, good) in [
            (&b"=?base64?c2hvcDovL2NhZsOp?="[..], true),
            (b"  =?base64?c2hvcDovL2NhZsOp?=\t", true),
            (b"", false),
            (b"shop://caf\xC3\xA9", false),
            (b"shop://caf%C3%A9", false),
            (b"=?base64?!!!?=", false),
            (b"=?base64?c2hvcDovL2NhZsOp", false),
            (b"=?BASE64?c2hvcDovL2NhZsOp?=", false),
            (b"=?base64?eA==?=", false),
            (b"=?base64?eA?=", false),
            (b"=?base64?/w==?=", false),
        ] {
            let answer = site.send(read(header)).await;
            let text = String::from_utf8_lossy(header).into_owned();
            assert_eq!(answer.status.as_u16(), if good { 200 } else { 400 }, "{text}");
            if !good {
                assert_eq!(answer.error().await.0, -32020, "{text}");
            }
        }
        site.close().await;
    });
}

// rows: HTTP-8, HTTP-9
#[test]
fn a_notification_is_accepted_without_an_answer() {
    run(async {
        let site = Site::open(tools::server()).await;
        let mut running = site.send(Ask::call(5, "hang", json!({}))).await;
        running.message().await.unwrap();
        for body in [
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        ] {
            for ask in [Ask::text(body), Ask::text(body).header("mcp-protocol-version", "2026-07-28")] {
                let answer = site.send(ask).await;
                assert_eq!(answer.status, StatusCode::ACCEPTED);
                assert_eq!(answer.text().await, "");
            }
        }
        // Nothing was cancelled by that; the end of its stream does.
        let count = site.send(Ask::call(6, "dropped", json!({}))).await.json().await;
        assert_eq!(text_of(&count), "0");
        drop(running);
        site.close().await;
    });
}

/// How often something was dropped, and who waits for it.
#[derive(Clone)]
struct Dropped(Arc<Semaphore>);

impl Dropped {
    fn new() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Waits for one more.
    async fn next(&self) {
        tokio::time::timeout(LONG, self.0.acquire()).await.expect("it is dropped").unwrap().forget();
    }
}

struct Guard(Dropped);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.0.add_permits(1);
    }
}

/// Tools that never end, and say when they are dropped.
fn endless(dropped: &Dropped, begun: &Arc<Semaphore>) -> Server {
    /// Report so often, and then wait for ever.
    #[tool]
    async fn wait(
        reports: u32,
        ctx: Context,
        dropped: State<Dropped>,
        begun: State<Arc<Semaphore>>,
    ) -> Result<(), ToolError> {
        let _guard = Guard(Dropped::clone(&dropped));
        for done in 1..=reports {
            ctx.report_progress(done, None, None).await?;
        }
        begun.add_permits(1);
        std::future::pending().await
    }

    /// The same on a thread.
    #[tool]
    fn hold(ctx: Context, dropped: State<Dropped>, begun: State<Arc<Semaphore>>) {
        let _guard = Guard(Dropped::clone(&dropped));
        begun.add_permits(1);
        while !ctx.is_cancelled() {
            std::thread::yield_now();
        }
    }

    Server::new("endless").tool(wait).tool(hold {}).state(dropped.clone()).state(Arc::clone(begun))
}

async fn begun(begun: &Semaphore) {
    tokio::time::timeout(LONG, begun.acquire()).await.expect("it begins").unwrap().forget();
}

// rows: HTTP-16
#[test]
fn a_client_that_is_gone_ends_its_call_and_no_other() {
    run(async {
        let (dropped, started) = (Dropped::new(), Arc::new(Semaphore::new(0)));
        for json_only in [false, true] {
            let http = endless(&dropped, &started).http();
            let site = Site::of(if json_only { http.json_only() } else { http }).await;
            for (tool, arguments) in
                [("wait", json!({ "reports": 0 })), ("wait", json!({ "reports": 2 })), ("hold", json!({}))]
            {
                let other = tokio::spawn(Connection::open(site.address).await.send(Ask::call(
                    1,
                    "wait",
                    json!({ "reports": 0 }),
                )));
                begun(&started).await;
                let call = Connection::open(site.address).await.send(Ask::call(1, tool, arguments));
                let call = tokio::spawn(call);
                begun(&started).await;
                // With or without an answer that has begun.
                call.abort();
                drop(call.await);
                dropped.next().await;
                assert!(!other.is_finished());
                other.abort();
                dropped.next().await;
            }
            site.close().await;
        }
    });
}

// rows: HTTP-18, BASE-3
#[test]
fn calls_of_one_id_do_not_get_each_others_answers() {
    run(async {
        let site = Site::open(tools::server()).await;
        let calls: Vec<_> = (0..20)
            .map(|at| {
                let address = site.address;
                tokio::spawn(async move {
                    let ask = Ask::call(1, "count", json!({ "n": at + 1, "ms": 1 }));
                    Connection::open(address).await.send(ask).await.unwrap().messages().await
                })
            })
            .collect();
        for (at, call) in calls.into_iter().enumerate() {
            let messages = call.await.unwrap();
            assert_eq!(messages.len(), at + 2);
            assert_eq!(text_of(messages.last().unwrap()), (at + 1).to_string());
        }
        site.close().await;
    });
}

/// A server that asks and logs.
fn asking() -> Server {
    /// Log, and then need what the client may not have.
    #[tool]
    async fn needy(ctx: Context) -> Result<String, ToolError> {
        ctx.log(LoggingLevel::Info, "looking around").await?;
        ctx.ensure_elicitation().await?;
        Ok("can ask".into())
    }

    Server::new("asking").logging().tool(needy)
}

// rows: ERR-7, ERR-14
#[test]
fn a_missing_capability_is_a_bad_request_even_of_a_tool_that_logs() {
    run(async {
        let site = Site::open(asking()).await;
        let call = |capabilities: Value| {
            Ask::modern(
                1,
                "tools/call",
                json!({ "name": "needy", "_meta": {
                "io.modelcontextprotocol/clientCapabilities": capabilities, "io.modelcontextprotocol/logLevel": "info"
            } }),
            )
        };
        let answer = site.send(call(json!({}))).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        let error = answer.json().await["error"].take();
        assert_eq!(
            (&error["code"], &error["data"]),
            (&json!(-32021), &json!({ "requiredCapabilities": { "elicitation": {} } }))
        );
        let messages = site.send(call(json!({ "elicitation": {} }))).await.messages().await;
        assert_eq!(messages[0]["method"], "notifications/message");
        assert_eq!(text_of(&messages[1]), "can ask");
        site.close().await;
    });
}

// rows: HTTP-19, SUB-6
#[test]
fn a_stream_of_changes_tells_changes_alone_and_ends_with_its_result() {
    run(async {
        let server = resources();
        let handle = server.handle();
        let mut site = Site::open(server).await;
        let filter =
            json!({ "notifications": { "resourcesListChanged": true, "resourceSubscriptions": ["shop://tea"] } });
        let mut stream = site.send(Ask::modern("s", "subscriptions/listen", filter)).await;
        let acknowledged = stream.message().await.unwrap();
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        handle.resource_updated("shop://tea");
        let told = stream.message().await.unwrap();
        assert_eq!(
            (&told["method"], &told["params"]["uri"]),
            (&json!("notifications/resources/updated"), &json!("shop://tea"))
        );
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "s");
        // Who takes no events can't be told anything.
        let filter = json!({ "notifications": { "resourcesListChanged": true } });
        let ask = Ask::modern("t", "subscriptions/listen", filter).with("accept", "application/json");
        assert_eq!(site.send(ask).await.status.as_u16(), 406);
        site.stop();
        let response = stream.message().await.unwrap();
        assert_eq!((&response["id"], &response["result"]["resultType"]), (&json!("s"), &json!("complete")));
        assert!(stream.event().await.is_none());
        site.close().await;
    });
}

// rows: HTTP-14
#[test]
fn a_silent_stream_gets_comments() {
    run(async {
        let site = Site::of(tools::server().http().keep_alive(Duration::from_millis(20))).await;
        let mut stream = site.send(Ask::call(1, "hang", json!({}))).await;
        assert!(stream.message().await.is_some());
        for _ in 0..3 {
            let event = stream.event().await.unwrap();
            assert!(event.comment && event.data.is_none());
        }
        drop(stream);
        site.close().await;
    });
}

// rows: HTTP-2, HTTP-3
#[test]
fn names_and_pages_are_looked_at_before_anything_else() {
    run(async {
        let site = Site::open(tools::server()).await;
        let ask = Ask::call(1, "echo", json!({ "text": "hi" }));
        for (name, value, status) in [
            ("host", "evil.example", 403),
            ("host", "mcp.example.com", 403),
            ("host", "[::1]:8080", 200),
            ("origin", "https://evil.example", 403),
            ("origin", "null", 403),
            ("origin", "http://localhost:5173", 200),
        ] {
            assert_eq!(site.send(ask.clone().with(name, value)).await.status.as_u16(), status, "{name}: {value}");
            // Whatever is sent.
            if status == 403 {
                let (_, text) = site.send(Ask::text("{").with(name, value)).await.error().await;
                let setting = if name == "host" { "allowed_hosts" } else { "allowed_origins" };
                assert!(text.contains(setting) || value == "null" && text.contains("null"), "{text}");
                assert_eq!(site.send(Ask::new("GET").with(name, value)).await.status.as_u16(), 403);
            }
        }
        site.close().await;
        let http = tools::server().http().allowed_hosts(["mcp.example.com"]);
        let named = Site::of(http).await;
        for (host, status) in [
            ("mcp.example.com", 200),
            ("mcp.example.com:443", 200),
            ("mcp.example.com.evil.example", 403),
            ("localhost", 403),
        ] {
            assert_eq!(named.send(ask.clone().with("host", host)).await.status.as_u16(), status, "{host}");
        }
        named.close().await;
    });
}

#[test]
fn pages_read_answers_when_it_is_switched_on() {
    run(async {
        let asked = "authorization,content-type,mcp-protocol-version,mcp-session-id,mcp-method,mcp-name,\
                     mcp-param-region,last-event-id";
        let preflight = |page: &str| {
            Ask::new("OPTIONS")
                .header("origin", page)
                .header("access-control-request-method", "POST")
                .header("access-control-request-headers", asked)
        };
        let call = |page: &str| Ask::call(1, "count", json!({ "n": 1 })).header("origin", page);
        let page = "http://localhost:6274";
        let site = Site::of(tools::server().http().cors()).await;
        let answer = site.send(preflight(page)).await;
        assert!(answer.status.is_success());
        assert_eq!(answer.header("access-control-allow-origin"), Some(page));
        assert_eq!(answer.header("access-control-allow-headers"), Some(asked));
        assert_eq!(answer.header("access-control-allow-methods"), Some("POST, GET, DELETE"));
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        for ask in [call(page), Ask::text("{").header("origin", page)] {
            let answer = site.send(ask).await;
            assert_eq!(answer.header("access-control-allow-origin"), Some(page));
            let exposed = answer.header("access-control-expose-headers").unwrap();
            assert!(exposed.contains("mcp-session-id") && exposed.contains("www-authenticate"));
        }
        for ask in [preflight("https://evil.example"), call("https://evil.example")] {
            let answer = site.send(ask).await;
            assert_eq!((answer.status.as_u16(), answer.header("access-control-allow-origin")), (403, None));
        }
        site.close().await;
        // Off unless it is switched on.
        let site = Site::open(tools::server()).await;
        assert_eq!(site.send(preflight(page)).await.status.as_u16(), 405);
        let answer = site.send(call(page)).await;
        assert_eq!((answer.status.as_u16(), answer.header("access-control-allow-origin")), (200, None));
        site.close().await;
    });
}

// rows: HTTP-7
#[test]
fn each_limit_says_which_it_was() {
    run(async {
        let http = tools::server().max_message_size(10_000).max_depth(20).http();
        let http = http.max_header_size(2_000).read_timeout(Duration::from_millis(300)).max_requests(2);
        let site = Site::of(http).await;
        let long = "x".repeat(20_000);
        for (ask, status, text) in [
            (Ask::call(1, "echo", json!({ "text": long })), 413, "the message is longer than the limit of 10000 bytes"),
            (
                Ask::call(1, "echo", json!({})).header("x-long", &"x".repeat(3_000)),
                431,
                "the headers are longer than the limit of 2000 bytes",
            ),
            (Ask::text(&"[".repeat(21)), 400, "the message is nested deeper than the limit of 20"),
        ] {
            let answer = site.send(ask).await;
            assert_eq!((answer.status.as_u16(), answer.error().await.1.as_str()), (status, text));
        }

        // One that says nothing of its length, and sends too much.
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
        stream
            .write_all(format!("{head}transfer-encoding: chunked\r\n\r\n4e20\r\n{long}\r\n0\r\n\r\n").as_bytes())
            .await
            .unwrap();
        assert!(read_some(&mut stream).await.starts_with("HTTP/1.1 413"));

        // One that sends too slowly.
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(format!("{head}content-length: 10\r\n\r\n{{").as_bytes()).await.unwrap();
        let answer = read_some(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("the body took longer than the limit of 300ms"), "{answer}");
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(b"POST /mcp HTTP/1.1\r\nhost: lo").await.unwrap();
        let answer = read_some(&mut stream).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");

        // One that sends nothing, or says never what it speaks.
        for said in ["", "P", "PRI * HTTP/2"] {
            let mut stream = TcpStream::connect(site.address).await.unwrap();
            stream.write_all(said.as_bytes()).await.unwrap();
            assert_eq!(read_some(&mut stream).await, "", "{said}");
        }
        // One that rests after a request.
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        assert!(read_some(&mut stream).await.starts_with("HTTP/1.1 200"));

        // Too many at a time.
        let first = site.send(Ask::call(1, "hang", json!({}))).await;
        let second = site.send(Ask::call(2, "hang", json!({}))).await;
        let answer = site.send(Ask::call(3, "echo", json!({ "text": "hi" }))).await;
        assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, Some("1")));
        assert_eq!(answer.error().await.1, "2 requests are served, which is the limit: try again later");
        drop((first, second));
        site.close().await;
    });
}

#[test]
fn a_request_that_comes_when_its_connection_is_given_up_is_answered() {
    run(async {
        let site = Site::of(Server::new("slow").tool(slow_count).http().read_timeout(Duration::from_millis(300))).await;
        let mut stream = TcpStream::connect(site.address).await.unwrap();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "slow_count", "arguments": { "n": 2500 },
            "_meta": serde_json::from_str::<Value>(support::META).unwrap()
        }})
        .to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
            accept: application/json\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\n\
            mcp-name: slow_count\r\ncontent-length: {}\r\n\r\n",
            body.len(),
        );
        let (first, rest) = head.split_at(20);
        stream.write_all(first.as_bytes()).await.unwrap();
        // So long that the connection is given up, and not so long that it is gone. The call takes longer than that.
        tokio::time::sleep(Duration::from_millis(800)).await;
        stream.write_all(format!("{rest}{body}").as_bytes()).await.unwrap();
        let answer = read_some(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"2500\""), "{answer}");
        site.close().await;
    });
}

/// What comes until the other side ends, or for so long that there is something.
async fn read_some(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = tokio::time::timeout(LONG, stream.read(&mut buffer)).await.expect("it ends").unwrap_or(0);
        all.extend_from_slice(&buffer[..read]);
        if read == 0 || all.windows(2).any(|pair| pair == b"}}") {
            return String::from_utf8_lossy(&all).into_owned();
        }
    }
}

#[test]
fn a_client_that_does_not_read_holds_up_its_own_call_alone() {
    /// Report for ever.
    #[tool]
    async fn flood(ctx: Context, reports: State<AtomicU32>) -> Result<(), ToolError> {
        for done in 1_u64.. {
            ctx.report_progress(done, None, "x".repeat(1000)).await?;
            reports.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// How often `flood` has reported.
    #[tool]
    async fn reports(reports: State<AtomicU32>) -> u32 {
        reports.load(Ordering::Relaxed)
    }

    run(async {
        let site = Site::open(Server::new("flood").tool(flood).tool(reports).state(AtomicU32::new(0))).await;
        let stream = site.send(Ask::call(1, "flood", json!({}))).await;
        let count = async || -> u64 {
            let response = site.send(Ask::call(2, "reports", json!({}))).await.json().await;
            text_of(&response).parse().unwrap()
        };
        // It stops when all that lies between is full.
        let mut before = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let now = count().await;
            if now > 0 && now == before {
                break;
            }
            before = now;
        }
        assert!(before < 50_000, "{before} reports of 1 kB were taken, and none read");
        drop(stream);
        site.close().await;
    });
}

#[test]
fn what_runs_is_finished_before_the_end() {
    run(async {
        let mut site = Site::open(tools::server()).await;
        let mut running = site.send(Ask::call(1, "count", json!({ "n": 4, "ms": 100 }))).await;
        running.message().await.unwrap();
        // A connection that rests, and one that is used.
        let mut kept = Connection::open(site.address).await;
        kept.request(Ask::call(2, "echo", json!({ "text": "hi" }))).await.unwrap().json().await;
        site.stop();
        let messages = running.messages().await;
        assert_eq!(text_of(messages.last().unwrap()), "4");
        // Nothing new is begun.
        if let Ok(answer) = kept.request(Ask::call(3, "echo", json!({ "text": "hi" }))).await {
            assert_eq!(answer.status.as_u16(), 503);
        }
        assert!(TcpStream::connect(site.address).await.is_err());
        site.close().await;
    });
}

#[test]
fn a_request_that_is_still_sent_holds_up_no_end() {
    run(async {
        let mut site = Site::of(tools::server().http().max_requests(1)).await;
        let mut streams = Vec::new();
        let head =
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
        for sent in ["", "PRI * ", "POST /mcp HTTP/1.1\r\nho", head] {
            let mut stream = TcpStream::connect(site.address).await.unwrap();
            stream.write_all(sent.as_bytes()).await.unwrap();
            streams.push(stream);
        }
        // The last one is being read when there is room for no other.
        while site.send(Ask::call(1, "echo", json!({ "text": "hi" }))).await.status.as_u16() != 503 {
            tokio::task::yield_now().await;
        }
        let began = std::time::Instant::now();
        site.stop();
        assert!(read_some(&mut streams[3]).await.starts_with("HTTP/1.1 503"));
        site.close().await;
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    });
}

#[test]
fn a_long_answer_is_read_to_its_end_however_slowly() {
    /// Say much.
    #[tool]
    async fn much() -> String {
        "x".repeat(12_000_000)
    }

    run(async {
        for ends in [false, true] {
            let http = Server::new("much").tool(much).http().read_timeout(Duration::from_millis(300));
            let mut site = Site::of(http).await;
            let mut stream = TcpStream::connect(site.address).await.unwrap();
            let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
            let post = |session: &str, body: &str| {
                format!(
                    "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{session}content-length: {}\r\n\r\n{body}",
                    body.len()
                )
            };
            stream.write_all(post("", body).as_bytes()).await.unwrap();
            let begun = read_some(&mut stream).await;
            let id = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
            let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"much"}}"#;
            stream.write_all(post(&format!("mcp-session-id: {id}\r\n"), call).as_bytes()).await.unwrap();
            let mut read = 0;
            let mut buffer = vec![0; 400_000];
            while read < 12_000_000 {
                let more = tokio::time::timeout(LONG, stream.read(&mut buffer)).await.unwrap().unwrap();
                assert!(more > 0, "the answer ends after {read} bytes");
                read += more;
                if ends {
                    site.stop();
                }
                // Longer in all than a connection may rest, and than is waited for at the end.
                tokio::time::sleep(Duration::from_millis(if read < 10_000_000 { 100 } else { 0 })).await;
            }
            drop(stream);
            site.close().await;
        }
    });
}

#[test]
fn a_call_of_a_mounted_server_is_answered_before_the_end() {
    run(async {
        let server = tools::server().drain_timeout(Duration::from_millis(200));
        let service = server.http().start().await.unwrap();
        let app = axum::Router::new().route_service("/mcp", service.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async { axum::serve(listener, app).await });
        let send = async |ask: Ask| Connection::open(address).await.send(ask).await.unwrap();
        let id = send(Ask::initialize("2025-11-25", json!({}))).await.header("mcp-session-id").unwrap().to_owned();
        let mut older = send(Ask::legacy_call(&id, 1, "hang", json!({}))).await;
        older.message().await.unwrap();
        let mut newer = send(Ask::call(1, "hang", json!({}))).await;
        newer.message().await.unwrap();
        let (older, newer, ()) = tokio::join!(older.messages(), newer.messages(), service.shutdown());
        for messages in [older, newer] {
            assert_eq!(messages[0]["error"]["message"], "the server is shutting down");
        }
        serving.abort();
    });
}

#[test]
fn a_report_that_holds_its_thread_holds_up_nobody() {
    /// Report much, in a way that is for plain functions.
    #[tool]
    async fn rash(ctx: Context) -> Result<u32, ToolError> {
        for done in 1..=300 {
            ctx.report_progress_blocking(done, None, "x".repeat(1000))?;
        }
        Ok(300)
    }

    run(async {
        let site = Site::open(Server::new("rash").tool(rash)).await;
        assert_eq!(site.send(Ask::call(1, "rash", json!({}))).await.messages().await.len(), 301);
        let id = site.session("2025-11-25", json!({})).await;
        let messages = site.send(Ask::legacy_call(&id, 1, "rash", json!({}))).await.messages().await;
        assert_eq!(messages.len(), 301);
        site.close().await;
    });
}

// rows: HTTP-14
#[test]
fn a_call_that_is_silent_for_long_becomes_a_stream() {
    run(async {
        let site = Site::of(tools::server().http().keep_alive(Duration::from_millis(50))).await;
        let mut answer = site.send(Ask::call(1, "sleep", json!({ "ms": 300 }))).await;
        assert!(answer.event().await.unwrap().comment);
        assert_eq!(text_of(&answer.message().await.unwrap()), "slept 300 ms");
        let ask = Ask::call(1, "sleep", json!({ "ms": 300 })).with("accept", "application/json");
        assert_eq!(text_of(&site.send(ask).await.json().await), "slept 300 ms");
        site.close().await;
    });
}

#[test]
fn what_takes_too_long_at_the_end_is_answered_with_an_error() {
    run(async {
        let mut site = Site::open(tools::server().drain_timeout(Duration::from_millis(100))).await;
        let mut running = site.send(Ask::call(1, "hang", json!({}))).await;
        running.message().await.unwrap();
        let pending = Connection::open(site.address).await;
        let pending = tokio::spawn(pending.send(Ask::call(2, "sleep", json!({ "ms": 600_000 }))));
        tokio::time::sleep(Duration::from_millis(50)).await;
        site.stop();
        let last = running.messages().await.pop().unwrap();
        assert_eq!((&last["id"], &last["error"]["message"]), (&json!(1), &json!("the server is shutting down")));
        let answer = pending.await.unwrap().unwrap();
        assert_eq!(answer.error().await, (-32603, "the server is shutting down".into()));
        site.close().await;
    });
}

#[test]
fn a_long_list_is_the_same_on_every_way() {
    run(async {
        // So long that it is written in pieces, and much longer than any window of a connection.
        let tool = |at: usize, length: usize| {
            let mut tool = Tool::builder(format!("tool_{at:02}"));
            tool.description("long ".repeat(length));
            tool.call(|_: serde_json::Map<String, Value>, _: Context| async {})
        };
        for (tools, length) in [(3, 10), (40, 20), (40, 2000)] {
            let server = (0..tools).fold(Server::new("long"), |server, at| server.tool(tool(at, length)));
            let site = Site::open(server).await;
            let ask = Ask::modern(7, "tools/list", json!({}));
            let json = site.send(ask.clone()).await;
            assert!(!json.is_events());
            let said: usize = json.header("content-length").unwrap().parse().unwrap();
            let text = json.text().await;
            assert_eq!(text.len(), said);
            let list: Value = serde_json::from_str(&text).unwrap();
            assert_eq!((&list["id"], list["result"]["tools"].as_array().unwrap().len()), (&json!(7), tools));

            let mut connection = Connection::open(site.address).await;
            for _ in 0..3 {
                assert_eq!(connection.request(ask.clone()).await.unwrap().json().await, list);
            }
            let mut connection = Connection::open_h2(site.address).await;
            for _ in 0..3 {
                assert_eq!(connection.request(ask.clone()).await.unwrap().json().await, list);
            }
            let events = site.send(ask.with("accept", "text/event-stream")).await;
            assert!(events.is_events());
            assert_eq!(events.response().await, list);

            let session = site.session("2025-03-26", json!({})).await;
            let batch = json!([
                { "jsonrpc": "2.0", "id": 7, "method": "tools/list" },
                { "jsonrpc": "2.0", "id": 8, "method": "ping" },
                { "jsonrpc": "2.0", "id": 9, "method": "tools/list" },
            ]);
            let answers = site.send(Ask::post(&batch).session(&session)).await.json().await;
            for id in [7, 9] {
                let answer = answers.as_array().unwrap().iter().find(|answer| answer["id"] == id).unwrap();
                let names = |list: &Value| -> Vec<Value> {
                    list["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect()
                };
                assert_eq!(names(answer), names(&list));
            }
            site.close().await;
        }
    });
}

#[test]
fn one_connection_of_http2_carries_many_requests() {
    run(async {
        let server = resources().tool(slow_count);
        let _handle = server.handle();
        let site = Site::open(server).await;
        let mut connection = Connection::open_h2(site.address).await;
        let filter = json!({ "notifications": { "resourcesListChanged": true } });
        let mut listening = connection.request(Ask::modern("s", "subscriptions/listen", filter)).await.unwrap();
        listening.message().await.unwrap();
        for round in 0..4 {
            let calls: Vec<_> = (0..50)
                .map(|at| {
                    let mut connection = connection.same();
                    tokio::spawn(async move {
                        let id = round * 50 + at;
                        let mut answer =
                            connection.request(Ask::call(id, "slow_count", json!({ "n": at % 4 }))).await.unwrap();
                        if at == 7 {
                            // One that is given up half-way ends itself alone.
                            answer.message().await.unwrap();
                            return;
                        }
                        for name in ["connection", "keep-alive", "transfer-encoding"] {
                            assert_eq!(answer.header(name), None);
                        }
                        let response = answer.response().await;
                        assert_eq!((&response["id"], text_of(&response)), (&json!(id), &*(at % 4).to_string()));
                    })
                })
                .collect();
            for call in calls {
                call.await.unwrap();
            }
        }
        drop(listening);
        drop(connection);
        site.close().await;
    });
}

/// Count, with a pause after each.
#[tool]
async fn slow_count(n: u32, ctx: Context) -> Result<u32, ToolError> {
    for done in 1..=n {
        ctx.report_progress(done, n, None).await?;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(n)
}

#[test]
fn a_server_tells_that_it_is_well_and_where_it_is() {
    run(async {
        let site = Site::of(tools::server().http().path("/shop/mcp")).await;
        let answer = site.send(Ask::new("GET").path("/healthz").with("host", "10.1.2.3:80")).await;
        assert_eq!((answer.status, answer.text().await.as_str()), (StatusCode::OK, "ok\n"));
        let (status, text) = {
            let answer = site.send(Ask::call(1, "echo", json!({ "text": "hi" }))).await;
            (answer.status, answer.error().await.1)
        };
        assert_eq!(status, StatusCode::NOT_FOUND);
        assert_eq!(text, "there is nothing at this path; the server is at `/shop/mcp`");
        // Nothing else leads to it.
        let answer = site.send(Ask::call(1, "echo", json!({})).path("/.well-known/oauth-protected-resource/mcp")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        let answer = site.send(Ask::call(1, "echo", json!({ "text": "hi" })).path("/shop/mcp?x=1")).await;
        assert_eq!(text_of(&answer.json().await), "hi");
        site.close().await;
    });
}

#[test]
fn a_tool_sees_the_headers_but_for_those_that_prove_who_asks() {
    /// The names of all headers, and one of them.
    #[tool]
    async fn seen(ctx: Context) -> String {
        let headers = ctx.headers().unwrap();
        let names: Vec<_> = headers.keys().map(|name| name.as_str()).collect();
        format!("{} {}", headers["x-trace"].to_str().unwrap(), names.join(" "))
    }

    run(async {
        let site = Site::open(Server::new("seen").tool(seen)).await;
        let ask = Ask::call(1, "seen", json!({})).header("x-trace", "7");
        let ask = ask.header("authorization", "Bearer secret").header("cookie", "secret");
        let text = site.send(ask).await.json().await;
        let mut names: Vec<&str> = text_of(&text).split(' ').collect();
        names.sort_unstable();
        let seen = ["7", "accept", "content-length", "content-type", "host"];
        assert_eq!(names, [&seen[..], &["mcp-method", "mcp-name", "mcp-protocol-version", "x-trace"]].concat());
        site.close().await;
    });
}

#[cfg(unix)]
#[test]
fn a_server_listens_at_several_places_and_leaves_nothing_behind() {
    run(async {
        let path = std::env::temp_dir().join(format!("mcp-server-{}.sock", std::process::id()));
        // What a process has left that ended too soon.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let site = Site::of(tools::server().http().bind_unix(&path)).await;
        while tokio::net::UnixStream::connect(&path).await.is_err() {
            tokio::task::yield_now().await;
        }
        let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        assert_eq!(text_of(&site.send(Ask::call(1, "echo", json!({ "text": "hi" }))).await.json().await), "hi");
        // Nobody else gets a place that is taken.
        let error = tools::server().http().bind(site.address).serve_until(std::future::pending()).await.unwrap_err();
        assert_eq!(error.to_string(), format!("could not listen on {}", site.address));
        let error = tools::server().http().bind_unix(&path).serve_until(std::future::pending()).await.unwrap_err();
        assert!(error.to_string().starts_with("could not listen on "));
        site.close().await;
        assert!(!path.exists());
        // What is no socket is somebody's file.
        std::fs::write(&path, "mine").unwrap();
        let refused = tools::server().http().bind_unix(&path).serve_until(std::future::pending()).await;
        assert!(refused.unwrap_err().to_string().starts_with("could not listen on "));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        std::fs::remove_file(&path).unwrap();
    });
}

#[test]
#[should_panic(expected = "`https://mcp.example.com` is no host")]
fn a_url_is_no_host() {
    drop(Server::new("shop").http().allowed_hosts(["https://mcp.example.com"]));
}

#[test]
#[should_panic(expected = "`https://app.example.com/` is no origin")]
fn an_origin_has_no_path() {
    drop(Server::new("shop").http().allowed_origins(["https://app.example.com/"]));
}

#[test]
fn a_server_is_mounted_in_another_one() {
    run(async {
        let closed = Arc::new(Semaphore::new(0));
        let closing = Arc::clone(&closed);
        let server = tools::server()
            .lifespan(async || Ok::<_, std::io::Error>(7_u8), async move |_: Arc<u8>| closing.add_permits(1));
        let service = server.http().start().await.unwrap();
        let app = axum::Router::new().nest_service("/api", axum::Router::new().route_service("/mcp", service.clone()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async { axum::serve(listener, app).await });
        let ask = |name: &str, arguments: Value| Ask::call(1, name, arguments).path("/api/mcp");
        let send = async |ask: Ask| Connection::open(address).await.send(ask).await.unwrap();
        assert_eq!(send(ask("count", json!({ "n": 3 }))).await.messages().await.len(), 4);
        let mut running = send(ask("count", json!({ "n": 3, "ms": 50 }))).await;
        running.message().await.unwrap();
        let (messages, ()) = tokio::join!(running.messages(), service.shutdown());
        assert_eq!(text_of(messages.last().unwrap()), "3");
        begun(&closed).await;
        assert_eq!(send(ask("echo", json!({ "text": "hi" }))).await.status.as_u16(), 503);
        serving.abort();
    });
}
