//! The client against servers in memory: ours, and fakes that say what no good server would.

#[path = "support/fake.rs"]
mod fake;

use std::convert::Infallible;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fake::{DISCOVERED, connect, initialized, legacy, modern, report, text_result};
use mcp_server::client::{CallError, ConnectError};
use mcp_server::prelude::*;
use mcp_server::protocol::{ContentBlock, ErrorCode, ProtocolVersion};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

// ---- Order ---------------------------------------------------------------------------------------------------------

fn runtimes() -> [Runtime; 2] {
    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let multi = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    [single, multi]
}

// rows: PROG-1, PROG-2
#[test]
fn a_report_that_shares_a_read_with_its_response_is_not_lost() {
    for runtime in runtimes() {
        for calls in [1, 2] {
            runtime.block_on(async {
                let (client, mut fake) = modern().await;
                let client = Arc::new(client);
                for round in 0..1000 {
                    let calling: Vec<_> = (0..calls)
                        .map(|_| {
                            let client = Arc::clone(&client);
                            tokio::spawn(async move {
                                let seen = Seen::default();
                                let hook = seen.clone();
                                let call = client.call_tool("x", json!({})).on_progress(async move |report| {
                                    tokio::task::yield_now().await;
                                    hook.push(report);
                                });
                                let text = call.await.unwrap().text();
                                (seen.done(), text)
                            })
                        })
                        .collect();
                    let mut bytes = String::new();
                    for _ in 0..calls {
                        let call = fake.expect("tools/call").await;
                        let token = &call["params"]["_meta"]["progressToken"];
                        bytes += &(report(token, 1) + "\n" + &text_result(&call["id"], "ok") + "\n");
                    }
                    fake.write(&bytes).await;
                    for call in calling {
                        assert_eq!(call.await.unwrap(), (vec![1.0], "ok".to_owned()), "round {round}");
                    }
                }
            });
        }
    }
}

/// What a callback has seen.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<f64>>>);

impl Seen {
    fn push(&self, report: Progress) {
        self.0.lock().unwrap().push(report.done);
    }

    fn done(&self) -> Vec<f64> {
        self.0.lock().unwrap().clone()
    }
}

/// Count to n.
#[tool]
async fn count(n: u32, ctx: Context) -> Result<u32, ToolError> {
    for i in 1..=n {
        ctx.report_progress(i, n, format!("said {i}")).await?;
    }
    Ok(n)
}

/// Wait for ever.
#[tool]
async fn hang() -> String {
    std::future::pending::<Infallible>().await;
    String::new()
}

/// Say nothing for a while.
#[tool]
async fn sleep(ms: u64) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("slept {ms} ms")
}

fn counter() -> Server {
    Server::new("counter").version("3").tool(count).tool(hang).tool(sleep)
}

// rows: PROG-2, PROG-4
#[test]
fn many_calls_at_once_each_get_their_own_reports_in_order() {
    for runtime in runtimes() {
        runtime.block_on(async {
            let client = Arc::new(Client::connect(counter()).await.unwrap());
            let calls: Vec<_> = (0..64)
                .map(|at| {
                    let client = Arc::clone(&client);
                    tokio::spawn(async move {
                        let n = 100 + at;
                        let seen = Seen::default();
                        let hook = seen.clone();
                        let call = client.call_tool("count", json!({ "n": n }));
                        let result = call.on_progress(async move |report| hook.push(report)).await.unwrap();
                        assert_eq!(result.text(), n.to_string());
                        assert_eq!(seen.done(), (1..=n).map(f64::from).collect::<Vec<_>>());
                    })
                })
                .collect();
            for call in calls {
                call.await.unwrap();
            }
        });
    }
}

#[tokio::test]
async fn the_callback_is_awaited_for_one_report_at_a_time() {
    let client = Client::connect(counter()).await.unwrap();
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    client
        .call_tool("count", json!({ "n": 10 }))
        .on_progress(async |_| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            running.fetch_sub(1, Ordering::SeqCst);
        })
        .await
        .unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_slow_callback_holds_up_its_own_call_alone() {
    let client = Client::connect(counter()).await.unwrap();
    let (held, released) = (Notify::new(), Notify::new());
    let slow = client.call_tool("count", json!({ "n": 2000 })).on_progress(async |report: Progress| {
        if report.done == 1.0 {
            held.notify_one();
            released.notified().await;
        }
    });
    let others = async {
        held.notified().await;
        for _ in 0..10 {
            assert_eq!(client.call_tool("count", json!({ "n": 100 })).await.unwrap().text(), "100");
        }
        released.notify_one();
    };
    let (slow, ()) = tokio::join!(slow.into_future(), others);
    assert_eq!(slow.unwrap().text(), "2000");
}

// rows: CANC-1
#[tokio::test]
async fn a_callback_that_panics_ends_its_own_call_alone() {
    let (client, mut fake) = modern().await;
    let client = Arc::new(client);
    let calling = tokio::spawn({
        let client = Arc::clone(&client);
        async move { client.call_tool("x", json!({})).on_progress(async |_| panic!("in the callback")).await }
    });
    let call = fake.expect("tools/call").await;
    fake.write(&(report(&call["id"], 1) + "\n")).await;
    assert!(calling.await.unwrap_err().is_panic());
    let cancelled = fake.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
    fake.answers_a_call(&client).await;
}

#[tokio::test]
async fn a_callback_borrows_from_its_surroundings() {
    let client = Client::connect(counter()).await.unwrap();
    let mut list = Vec::new();
    let seen = &mut list;
    client
        .call_tool("count", json!({ "n": 3 }))
        .timeout(Duration::from_secs(5))
        .on_progress(async |p| seen.push(p))
        .meta("com.example/x", 1)
        .max_timeout(Duration::from_secs(9))
        .await
        .unwrap();
    assert_eq!(list.len(), 3);
    assert_eq!(list[2].message.as_deref(), Some("said 3"));
}

#[tokio::test]
async fn a_closure_that_returns_a_future_is_a_callback_too() {
    let client = Client::connect(counter()).await.unwrap();
    let sum = Arc::new(AtomicUsize::new(0));
    client
        .call_tool("count", json!({ "n": 3 }))
        .on_progress(|report: Progress| {
            let sum = Arc::clone(&sum);
            async move {
                sum.fetch_add(report.done as usize, Ordering::Relaxed);
            }
        })
        .await
        .unwrap();
    assert_eq!(sum.load(Ordering::Relaxed), 6);
}

#[tokio::test]
async fn a_call_with_a_callback_can_be_a_task() {
    let client = Client::connect(counter()).await.unwrap();
    let seen = Seen::default();
    let hook = seen.clone();
    let calling = tokio::spawn(async move {
        client
            .call_tool("count", json!({ "n": 3 }))
            .on_progress(async move |report| {
                tokio::task::yield_now().await;
                hook.push(report);
            })
            .await
    });
    assert_eq!(calling.await.unwrap().unwrap().text(), "3");
    assert_eq!(seen.done(), [1.0, 2.0, 3.0]);

    let client = Client::connect(counter()).await.unwrap();
    tokio::spawn(async move { client.call_tool("count", json!({ "n": 3 })).on_progress(async |_| ()).await.unwrap() });

    // What the stream gives may go anywhere.
    let client = Client::connect(counter()).await.unwrap();
    let calling = tokio::spawn(async move {
        let mut done = Vec::new();
        let mut call = client.call_tool("count", json!({ "n": 3 })).progress_stream();
        while let Some(report) = call.next().await {
            done.push(report.done);
        }
        call.result().await.map(|_| done)
    });
    assert_eq!(calling.await.unwrap().unwrap(), [1.0, 2.0, 3.0]);
}

#[tokio::test]
async fn the_stream_gives_the_reports_and_then_the_result() {
    let client = Client::connect(counter()).await.unwrap();
    let mut call = client.call_tool("count", json!({ "n": 3 })).progress_stream();
    assert_eq!(call.next().await.unwrap().to_string(), "1/3 said 1");
    // As a stream of the ecosystem.
    let mut stream = pin!(&mut call);
    let second = std::future::poll_fn(|cx| futures_core::Stream::poll_next(stream.as_mut(), cx)).await;
    assert_eq!(second.unwrap().done, 2.0);
    assert_eq!(call.next().await.unwrap().done, 3.0);
    assert_eq!(call.next().await, None);
    assert_eq!(call.next().await, None);
    assert_eq!(call.result().await.unwrap().text(), "3");

    let unread = client.call_tool("count", json!({ "n": 3 })).progress_stream();
    assert_eq!(unread.result().await.unwrap().text(), "3");
}

// rows: PROG-1
#[tokio::test]
async fn reports_are_asked_for_only_when_they_are_of_use() {
    let (client, mut fake) = modern().await;
    let mut tokens = Vec::new();
    for kind in 0..4 {
        let call = client.call_tool("x", json!({}));
        let call = async {
            match kind {
                0 => call.await,
                1 => call.on_progress(async |_| {}).await,
                2 => call.progress_stream().result().await,
                _ => call.reset_timeout_on_progress().await,
            }
        };
        let serve = async {
            let request = fake.expect("tools/call").await;
            tokens.push((request["id"].clone(), request["params"]["_meta"]["progressToken"].clone()));
            fake.write(&(text_result(&request["id"], "ok") + "\n")).await;
        };
        let (result, ()) = tokio::join!(call, serve);
        result.unwrap();
    }
    assert_eq!(tokens[0].1, Value::Null);
    // "unique across all active requests": the id is that already.
    assert!(tokens[1..].iter().all(|(id, token)| id == token && token.is_u64()), "{tokens:?}");
}

// ---- What a bad server says ----------------------------------------------------------------------------------------

// rows: BASE-10, CANC-5, PROG-3, STDIO-2, STDIO-3
#[tokio::test]
async fn nonsense_costs_nobody_anything() {
    let stray = Arc::new(Mutex::new(Vec::new()));
    let hook = Arc::clone(&stray);
    let builder = Client::builder().on_stray(move |line| hook.lock().unwrap().push(line.to_owned()));
    let (client, mut fake) = connect(builder, async |fake| {
        // Before the connection is made.
        fake.write("Starting up...\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n").await;
        fake.discover().await;
    })
    .await;
    let client = client.unwrap();
    let lines = [
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":99,"progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"2","progress":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1e400}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":[]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/surprise","params":7}"#,
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"2","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#,
        "",
        "\r",
        "   ",
        r#"{"level":"info","msg":"a log line"}"#,
        "5",
        "[",
        "[7]",
        "\u{1b}[32mgreen\u{1b}[0m",
    ];
    let call = client.call_tool("x", json!({})).on_progress(async |report| panic!("{report}"));
    let serve = async {
        let request = fake.expect("tools/call").await;
        fake.write(&(lines.join("\n") + "\n")).await;
        fake.write_bytes(b"\xff\xfe not UTF-8\r\n").await;
        fake.write(&(text_result(&request["id"], "ok") + "\r\n")).await;
        // The answer once more, and another report.
        fake.write(&(text_result(&request["id"], "again") + "\n" + &report(&request["id"], 9) + "\n")).await;
    };
    let (result, ()) = tokio::join!(call.into_future(), serve);
    assert_eq!(result.unwrap().text(), "ok");
    fake.answers_a_call(&client).await;
    let expected = [
        "Starting up...",
        r#"{"level":"info","msg":"a log line"}"#,
        "5",
        "[",
        "7",
        "\u{1b}[32mgreen\u{1b}[0m",
        "\u{fffd}\u{fffd} not UTF-8",
    ];
    assert_eq!(*stray.lock().unwrap(), expected);
    // Nothing was written back about any of it.
    client.close().await;
    assert_eq!(fake.read().await, None);
}

#[tokio::test]
async fn a_hook_that_panics_costs_its_line() {
    let builder = Client::builder().on_stray(|_| panic!("in the hook"));
    let (client, mut fake) = connect(builder, async |fake| fake.discover().await).await;
    fake.write("noise\n").await;
    fake.answers_a_call(&client.unwrap()).await;
}

// rows: RTYPE-2, RTYPE-3, CONT-1, CONT-5
#[tokio::test]
async fn a_result_is_read_by_the_method_that_was_called() {
    let (client, mut fake) = modern().await;
    let error = fake
        .result(&client, r#"{"resultType":"input_required","requestState":"s","inputRequests":{"who":{"method":"elicitation/create"}}}"#)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server asks for input, which this client can't give: `who` (elicitation/create)"
    );
    let CallError::InputRequired { request_state, input_requests, .. } = error else { panic!("{error:?}") };
    assert_eq!(request_state.as_deref(), Some("s"));
    assert_eq!(input_requests["who"]["method"], "elicitation/create");

    let result = fake
        .result(
            &client,
            r#"{"resultType":"complete","content":[{"type":"text","text":"a","annotations":{"audience":["system"]}}]}"#,
        )
        .await
        .unwrap();
    assert_eq!(result.text(), "a");

    let result = fake
        .result(
            &client,
            r#"{"resultType":"complete","content":[{"type":"hologram","data":1},{"type":"text","text":"b"}]}"#,
        )
        .await
        .unwrap();
    assert_eq!(result.text(), "b");
    assert_eq!(result.content[0], ContentBlock::Unknown(json!({ "type": "hologram", "data": 1 })));

    let error = fake.result(&client, r#"{"resultType":"complete","content":[{"type":"text"}]}"#).await.unwrap_err();
    assert!(matches!(&error, CallError::InvalidResult { path, .. } if path == "content[0].text"), "{error:?}");
    assert_eq!(error.to_string(), "the answer can't be read: content[0].text: missing");

    assert_eq!(fake.result(&client, r#"{"content":[{"type":"text","text":"c"}]}"#).await.unwrap().text(), "c");
    let error = fake.result(&client, r#"{"resultType":"zzz","content":[]}"#).await.unwrap_err();
    assert!(matches!(&error, CallError::UnknownResultType { result_type } if result_type == "zzz"), "{error:?}");
    for result in ["7", "null", "[]", r#"{"resultType":7,"content":[]}"#, r#"{"content":null}"#, "{}"] {
        let error = fake.result(&client, result).await.unwrap_err();
        assert!(matches!(error, CallError::InvalidResult { .. }), "{result}: {error:?}");
    }
}

// rows: RTYPE-4
#[tokio::test]
async fn a_list_can_not_ask_for_input() {
    let (client, mut fake) = modern().await;
    let serve = fake.answer("tools/list", r#"{"resultType":"input_required","requestState":"s"}"#);
    let (tools, _) = tokio::join!(client.list_tools(), serve);
    let error = tools.unwrap_err();
    assert!(
        matches!(&error, CallError::UnknownResultType { result_type } if result_type == "input_required"),
        "{error:?}"
    );
}

// rows: TOOL-19
#[tokio::test]
async fn a_tool_that_failed_is_a_result_whatever_its_structured_content_is() {
    let (client, mut fake) = modern().await;
    let result = r#"{"resultType":"complete","content":[{"type":"text","text":"no such sku"}],"structuredContent":[7],"isError":true}"#;
    let result = fake.result(&client, result).await.unwrap();
    assert!(result.is_error);
    assert_eq!(result.text(), "no such sku");
    assert_eq!(result.structured::<Vec<u8>>().unwrap(), [7]);
}

// rows: ERR-10, ERR-13
#[tokio::test]
async fn an_error_of_the_server_is_told_apart_from_our_own() {
    let (client, mut fake) = modern().await;
    let request = async {
        let request = fake.expect("tools/call").await;
        let error =
            json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": -32004, "message": "no", "data": [1] } });
        fake.write(&format!("{error}\n")).await;
    };
    let (result, ()) = tokio::join!(client.call_tool("x", json!({})).into_future(), request);
    let Err(CallError::Server(error)) = result else { panic!("{result:?}") };
    assert_eq!((error.code, error.message.as_str(), error.data), (ErrorCode(-32004), "no", Some(json!([1]))));
}

#[tokio::test]
async fn an_answer_that_is_no_response_ends_its_call() {
    let (client, mut fake) = modern().await;
    for rest in [r#""result":{},"error":{}"#, r#""error":"no""#, r#""error":{"code":"x"}"#, r#""error":null"#] {
        let serve = async {
            let request = fake.expect("tools/call").await;
            fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{rest}}}\n", request["id"])).await;
        };
        let (result, ()) = tokio::join!(client.call_tool("x", json!({})).into_future(), serve);
        assert!(matches!(result, Err(CallError::InvalidResult { .. })), "{rest}: {result:?}");
    }
    fake.answers_a_call(&client).await;
}

#[tokio::test]
async fn a_line_that_is_too_long_costs_its_call_alone() {
    let builder = Client::builder().max_message_size(10_000);
    let (client, mut fake) = connect(builder, async |fake| fake.discover().await).await;
    let client = client.unwrap();
    let serve = async {
        let request = fake.expect("tools/call").await;
        fake.write(&(text_result(&request["id"], &"a".repeat(1_000_000)) + "\n")).await;
    };
    let (result, ()) = tokio::join!(client.call_tool("x", json!({})).into_future(), serve);
    let error = result.unwrap_err().to_string();
    assert_eq!(error, "the answer can't be read: it is longer than the limit of 10000 bytes");
    fake.write_bytes(&vec![b'a'; 1_000_000]).await;
    fake.write("\n").await;
    fake.answers_a_call(&client).await;
}

// rows: PROG-7
#[tokio::test]
async fn a_flood_of_reports_is_bounded_and_the_newest_win() {
    let (client, mut fake) = modern().await;
    let (held, released) = (Notify::new(), Notify::new());
    let mut seen = Vec::new();
    let call = client.call_tool("x", json!({})).on_progress(async |report: Progress| {
        if report.done == 1.0 {
            held.notify_one();
            released.notified().await;
        }
        seen.push(report.done);
    });
    let serve = async {
        let request = fake.expect("tools/call").await;
        fake.write(&(report(&request["id"], 1) + "\n")).await;
        held.notified().await;
        for done in 2..=100_001 {
            fake.write(&(report(&request["id"], done) + "\n")).await;
        }
        fake.write(&(text_result(&request["id"], "ok") + "\n")).await;
        fake.answers_a_call(&client).await;
        released.notify_one();
    };
    let (result, ()) = tokio::join!(call.into_future(), serve);
    assert_eq!(result.unwrap().text(), "ok");
    assert_eq!(seen.len(), 1 + 65_536);
    assert_eq!((seen[1], seen[65_536]), (100_001.0 - 65_535.0, 100_001.0));
    assert!(seen.is_sorted());
}

// rows: ERA-3, LIFE-4
#[tokio::test]
async fn a_legacy_server_that_asks_is_answered_and_a_stateless_one_is_not() {
    let asks = concat!(
        r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":7,"method":"roots/list"}"#,
        "\n",
    );
    let (client, mut fake) = legacy("2025-11-25").await;
    fake.write(asks).await;
    assert_eq!(fake.read().await.unwrap(), json!({ "jsonrpc": "2.0", "id": "p", "result": {} }));
    let refused = fake.read().await.unwrap();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32601)));
    fake.answers_a_call(&client).await;

    let (client, mut fake) = modern().await;
    fake.write(asks).await;
    fake.answers_a_call(&client).await;
}

#[tokio::test]
async fn a_server_that_pings_and_never_reads_can_not_fill_the_memory() {
    let (client, mut fake) = legacy("2025-11-25").await;
    for id in 0..100_000 {
        fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")).await;
    }
    // It reads at last: what is there is bounded, and the connection is well.
    let call = client.call_tool("x", json!({}));
    let serve = async {
        let mut pongs = 0;
        loop {
            let message = fake.read().await.unwrap();
            if message["method"] == "tools/call" {
                fake.write(&(text_result(&message["id"], "ok") + "\n")).await;
                return pongs;
            }
            pongs += 1;
        }
    };
    let (result, pongs) = tokio::join!(call.into_future(), serve);
    assert_eq!(result.unwrap().text(), "ok");
    assert!((1000..10_000).contains(&pongs), "{pongs}");
}

#[tokio::test]
async fn a_batch_of_answers_is_read() {
    let (client, mut fake) = legacy("2025-03-26").await;
    let serve = async {
        let request = fake.expect("tools/call").await;
        fake.write(&format!("[{},{}]\n", report(&request["id"], 1), text_result(&request["id"], "ok"))).await;
    };
    let mut seen = 0;
    let call = client.call_tool("x", json!({})).on_progress(async |_| seen += 1);
    let (result, ()) = tokio::join!(call.into_future(), serve);
    assert_eq!(result.unwrap().text(), "ok");
    assert_eq!(seen, 1);
}

#[tokio::test]
async fn the_end_of_the_server_ends_its_calls() {
    let (client, mut fake) = modern().await;
    let call = client.call_tool("x", json!({}));
    let serve = async {
        fake.expect("tools/call").await;
        drop(fake);
    };
    let (result, ()) = tokio::join!(call.into_future(), serve);
    let error = result.unwrap_err();
    assert_eq!(error.to_string(), "the connection is closed: the server has closed it");
    let error = client.list_tools().await.unwrap_err();
    assert!(matches!(error, CallError::Closed { .. }), "{error:?}");
}

// ---- Lists ---------------------------------------------------------------------------------------------------------

/// Serves pages: for each, the cursor that must have been asked with, and the `nextCursor` that goes out.
async fn list(pages: &[(Value, &str)]) -> Result<Vec<String>, CallError> {
    let (client, mut fake) = modern().await;
    let serve = async {
        for (at, (cursor, next)) in pages.iter().enumerate() {
            let request = fake.expect("tools/list").await;
            assert_eq!(request["params"].get("cursor").unwrap_or(&Value::Null), cursor);
            let tool = format!(r#"{{"name":"t{at}","inputSchema":{{"type":"object"}}}}"#);
            let result =
                format!(r#"{{"resultType":"complete","tools":[{tool}]{next},"ttlMs":0,"cacheScope":"private"}}"#);
            fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", request["id"])).await;
        }
    };
    let (tools, ()) = tokio::join!(client.list_tools(), serve);
    tools.map(|tools| tools.into_iter().map(|tool| tool.name).collect())
}

// rows: PAGE-3
#[tokio::test]
async fn an_empty_cursor_is_a_cursor() {
    let pages = [(Value::Null, r#","nextCursor":"""#), (json!(""), "")];
    assert_eq!(list(&pages).await.unwrap(), ["t0", "t1"]);
    assert_eq!(list(&[(Value::Null, r#","nextCursor":null"#)]).await.unwrap(), ["t0"]);
    let pages = [(Value::Null, r#","nextCursor":"a\nb""#), (json!("a\nb"), r#","nextCursor":"c""#), (json!("c"), "")];
    assert_eq!(list(&pages).await.unwrap(), ["t0", "t1", "t2"]);
}

// rows: PAGE-4
#[tokio::test]
async fn a_cursor_that_comes_twice_ends_the_list_with_an_error() {
    for (cursor, next) in [(json!("x"), r#","nextCursor":"x""#), (json!(""), r#","nextCursor":"""#)] {
        let error = list(&[(Value::Null, next), (cursor, next)]).await.unwrap_err();
        assert!(matches!(error, CallError::EndlessList { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn an_error_in_a_list_names_the_tool() {
    let (client, mut fake) = modern().await;
    let serve = fake.answer("tools/list", r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b"}]}"#);
    let (tools, _) = tokio::join!(client.list_tools(), serve);
    assert_eq!(tools.unwrap_err().to_string(), "the answer can't be read: tools[1].inputSchema: missing");
}

#[tokio::test]
async fn all_pages_of_our_own_server_are_listed() {
    let client = Client::connect(counter().page_size(1)).await.unwrap();
    let names: Vec<String> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["count", "hang", "sleep"]);
    let (client, mut fake) = modern().await;
    let schema = json!({ "type": "object", "x-more": [1, { "$anchor": "a" }], "not": {} });
    let result = json!({ "tools": [{ "name": "a", "inputSchema": schema, "novel": 1 }] }).to_string();
    let (tools, _) = tokio::join!(client.list_tools(), fake.answer("tools/list", &result));
    assert_eq!(tools.unwrap()[0].input_schema, schema);
}

// rows: TOOL-10, TOOL-11
#[tokio::test]
async fn a_tool_has_a_name_for_people_and_hints_with_defaults() {
    let tools = json!([
        { "name": "a", "title": "A", "annotations": { "title": "B" }, "inputSchema": { "type": "object" } },
        { "name": "a", "annotations": { "title": "B", "readOnlyHint": true }, "inputSchema": { "type": "object" } },
        { "name": "a", "annotations": {}, "inputSchema": { "type": "object" } },
    ]);
    let (client, mut fake) = modern().await;
    let result = json!({ "tools": tools }).to_string();
    let (tools, _) = tokio::join!(client.list_tools(), fake.answer("tools/list", &result));
    let tools = tools.unwrap();
    assert_eq!(tools.iter().map(|tool| tool.display_name()).collect::<Vec<_>>(), ["A", "B", "a"]);
    let hints: Vec<_> = tools
        .iter()
        .map(|tool| tool.annotations.as_ref().unwrap())
        .map(|hints| (hints.read_only(), hints.destructive(), hints.idempotent(), hints.open_world()))
        .collect();
    assert_eq!(hints[1..], [(true, false, true, true), (false, true, false, true)]);
}

// ---- Which era -----------------------------------------------------------------------------------------------------

/// Connects to a fake that answers the probe thus, and then shakes hands; the version that came of it.
async fn after_probe(answer: Option<&str>) -> Result<(ProtocolVersion, Vec<Value>), ConnectError> {
    let (client, mut fake) = connect(Client::builder(), async |fake| {
        let probe = fake.expect("server/discover").await;
        if let Some(answer) = answer {
            fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{answer}}}\n", probe["id"])).await;
        }
        fake.handshake("2025-11-25").await;
    })
    .await;
    let version = client?.protocol_version();
    let mut seen = Vec::new();
    while let Some(message) = fake.read().await {
        seen.push(message);
    }
    Ok((version, seen))
}

// rows: ERA-10
#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_know_the_probe_is_shaken_hands_with() {
    let error = |code: i64| format!(r#""error":{{"code":{code},"message":"no"}}"#);
    let answers = [
        Some(error(-32601)),
        Some(error(-32602)),
        Some(error(-32600)),
        Some(error(-32000)),
        Some(error(0)),
        // None that a stateless server would give.
        Some(error(-32022)),
        Some(error(-32021)),
        Some(r#""result":{}"#.to_owned()),
        Some(r#""result":{"resultType":"zzz","supportedVersions":["2026-07-28"]}"#.to_owned()),
        Some(r#""result":{"supportedVersions":["2025-11-25"],"capabilities":{}}"#.to_owned()),
        Some(r#""error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25","2025-06-18"],"requested":"2026-07-28"}}"#.to_owned()),
        None,
    ];
    for answer in answers {
        let start = Instant::now();
        let (version, seen) = after_probe(answer.as_deref()).await.unwrap();
        assert_eq!(version, ProtocolVersion::V2025_11_25, "{answer:?}");
        assert_eq!(seen, Vec::<Value>::new(), "nothing but `notifications/initialized` follows");
        assert!(start.elapsed() <= Duration::from_secs(6), "{answer:?}: {:?}", start.elapsed());
    }
}

// rows: ERA-10, VER-2, VER-3
#[tokio::test]
async fn a_version_that_the_server_names_is_tried_and_never_a_handshake() {
    let (client, mut fake) = connect(Client::builder(), async |fake| {
        let probe = fake.expect("server/discover").await;
        let error = r#"{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2099-01-01"}}"#;
        fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}\n", probe["id"])).await;
        let again = fake.expect("server/discover").await;
        assert_ne!(again["id"], probe["id"]);
        fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{DISCOVERED}}}\n", again["id"])).await;
    })
    .await;
    let client = client.unwrap();
    assert_eq!(client.protocol_version(), ProtocolVersion::V2026_07_28);
    fake.answers_a_call(&client).await;
}

// rows: VER-2, VER-3
#[tokio::test]
async fn a_server_without_a_common_version_is_refused_with_both_lists() {
    let refusals = [
        r#""error":{"code":-32022,"message":"no","data":{"supported":["2099-01-01","2098-01-01"],"requested":"2026-07-28"}}"#,
        r#""result":{"supportedVersions":["2099-01-01","2098-01-01"],"capabilities":{}}"#,
    ];
    for refusal in refusals {
        let (client, mut fake) = connect(Client::builder(), async |fake| {
            let probe = fake.expect("server/discover").await;
            fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{refusal}}}\n", probe["id"])).await;
        })
        .await;
        let error = client.unwrap_err();
        assert!(matches!(error, ConnectError::NoCommonVersion { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("2026-07-28") && text.ends_with("the server speaks 2099-01-01, 2098-01-01"), "{text}");
        assert_eq!(fake.read().await, None);
    }
}

// rows: ERA-10
#[tokio::test(start_paused = true)]
async fn a_client_of_the_stateless_kind_alone_never_shakes_hands() {
    let builder = Client::builder().protocol_versions([ProtocolVersion::V2026_07_28]);
    let (client, mut fake) = connect(builder, async |fake| {
        let probe = fake.expect("server/discover").await;
        let error = r#"{"code":-32601,"message":"no"}"#;
        fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}\n", probe["id"])).await;
    })
    .await;
    let error = client.unwrap_err().to_string();
    assert_eq!(error, "no common protocol version: this client may use 2026-07-28, and the server speaks none of them");
    assert_eq!(fake.read().await, None);
}

// rows: ERA-13, VER-5, META-1, META-4, STDIO-3
#[tokio::test]
async fn a_stateless_request_says_all_that_is_needed_to_serve_it() {
    let builder = Client::builder().name("desk").version("0.4");
    let (client, mut fake) = connect(builder, async |fake| fake.discover().await).await;
    let client = client.unwrap();
    assert_eq!(client.server_info().unwrap().name, "fake");
    assert!(client.server_capabilities().tools.is_some());
    assert_eq!(client.instructions(), None);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "desk", "version": "0.4" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    assert_eq!(fake.seen[0]["params"], json!({ "_meta": meta }));

    let (tools, list) = tokio::join!(client.list_tools(), fake.answer("tools/list", r#"{"tools":[]}"#));
    assert_eq!(tools.unwrap(), []);
    assert_eq!(list["params"], json!({ "_meta": meta }));

    let call = client.call_tool("x", json!({ "a": 1 })).meta("com.example/y", json!([2])).meta("com.example/x", 7);
    let (result, call) = tokio::join!(call.into_future(), fake.answer("tools/call", r#"{"content":[]}"#));
    result.unwrap();
    let mut with_more = meta.clone();
    with_more["com.example/x"] = json!(7);
    with_more["com.example/y"] = json!([2]);
    assert_eq!(call["params"], json!({ "name": "x", "arguments": { "a": 1 }, "_meta": with_more }));
    // The probe, the list and the call: the era was asked for once.
    assert_eq!(fake.seen.len(), 3);
}

// rows: BASE-4, ERA-14, LIFE-1, LIFE-4
#[tokio::test]
async fn after_a_handshake_nothing_of_the_other_era_is_left() {
    let (client, mut fake) = legacy("2025-06-18").await;
    assert_eq!(client.protocol_version(), ProtocolVersion::V2025_06_18);
    assert_eq!(client.server_info().unwrap().name, "old");
    assert_eq!(client.instructions(), Some("be kind"));
    let methods: Vec<&str> = fake.seen.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["server/discover", "initialize", "notifications/initialized"]);
    let params = &fake.seen[1]["params"];
    assert_eq!(params["protocolVersion"], "2025-11-25");
    assert_eq!(params["capabilities"], json!({}));
    assert!(params["clientInfo"]["name"].is_string() && params["clientInfo"]["version"].is_string());
    assert!(params.get("_meta").is_none());

    let (tools, list) = tokio::join!(client.list_tools(), fake.answer("tools/list", r#"{"tools":[]}"#));
    tools.unwrap();
    assert_eq!(list["params"], json!({}));
    let call = client
        .call_tool("x", json!({}))
        .meta("io.modelcontextprotocol/logLevel", "debug")
        .meta("com.example/x", 7)
        .on_progress(async |_| {});
    let (result, call) = tokio::join!(call.into_future(), fake.answer("tools/call", r#"{"content":[]}"#));
    result.unwrap();
    assert_eq!(call["params"]["_meta"], json!({ "progressToken": call["id"], "com.example/x": 7 }));
    let (result, call) =
        tokio::join!(client.call_tool("x", json!({})).into_future(), fake.answer("tools/call", r#"{"content":[]}"#));
    result.unwrap();
    assert_eq!(call["params"], json!({ "name": "x", "arguments": {} }));
    let ids: Vec<String> = fake.seen.iter().filter_map(|message| Some(message.get("id")?.to_string())).collect();
    assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), 5);
}

// rows: LIFE-3, LIFE-6, VER-3
#[tokio::test]
async fn a_lower_version_is_taken_and_an_unknown_one_refused() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (client, _fake) = legacy(version).await;
        assert_eq!(client.protocol_version().as_str(), version);
    }
    for version in ["1999-01-01", "2026-07-28", "", "2025-11-25 "] {
        let (client, mut fake) = connect(Client::builder(), async |fake| {
            fake.refuse_probe().await;
            let initialize = fake.expect("initialize").await;
            fake.write(&initialized(&initialize["id"], version)).await;
        })
        .await;
        let error = client.unwrap_err();
        assert!(matches!(&error, ConnectError::NoCommonVersion { theirs, .. } if *theirs == [version]), "{error:?}");
        // It has hung up.
        assert_eq!(fake.read().await, None);
    }
}

// rows: ERA-10, LIFE-1
#[tokio::test]
async fn a_client_without_a_stateless_version_does_not_probe() {
    let builder = Client::builder().protocol_versions([ProtocolVersion::V2025_03_26, ProtocolVersion::V2024_11_05]);
    let (client, fake) = connect(builder, async |fake| fake.handshake("2024-11-05").await).await;
    assert_eq!(client.unwrap().protocol_version(), ProtocolVersion::V2024_11_05);
    assert_eq!(fake.seen[0]["params"]["protocolVersion"], "2025-03-26");
}

#[tokio::test]
async fn a_server_that_refuses_the_handshake_is_quoted() {
    let (client, _fake) = connect(Client::builder(), async |fake| {
        fake.refuse_probe().await;
        let initialize = fake.expect("initialize").await;
        let error = r#"{"code":-32603,"message":"the moon is wrong"}"#;
        fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}\n", initialize["id"])).await;
    })
    .await;
    let error = client.unwrap_err().to_string();
    assert_eq!(error, "the server refused the connection: the moon is wrong (code -32603)");
}

#[tokio::test]
async fn an_answer_to_the_handshake_that_can_not_be_read_is_an_error_with_its_place() {
    let (client, _fake) = connect(Client::builder(), async |fake| {
        fake.refuse_probe().await;
        let initialize = fake.expect("initialize").await;
        fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}\n", initialize["id"])).await;
    })
    .await;
    let error = client.unwrap_err().to_string();
    assert_eq!(error, "the answer to `initialize` can't be read: protocolVersion: missing");
}

// rows: LIFE-1, CANC-8
#[tokio::test(start_paused = true)]
async fn a_server_that_never_gets_ready_is_left_in_time_and_the_handshake_is_not_cancelled() {
    let builder = Client::builder().probe_timeout(Duration::from_secs(1)).connect_timeout(Duration::from_secs(3));
    let start = Instant::now();
    let (client, mut fake) = connect(builder, async |_| {}).await;
    let error = client.unwrap_err();
    assert_eq!(error.to_string(), "the server did not get ready within 3s");
    assert_eq!(start.elapsed(), Duration::from_secs(3));
    fake.expect("server/discover").await;
    fake.expect("initialize").await;
    assert_eq!(fake.read().await, None);
}

// rows: ERA-1
#[tokio::test]
async fn our_own_server_is_reached_in_each_version() {
    for version in ProtocolVersion::ALL {
        let client = Client::builder().protocol_versions([version]).connect(counter()).await.unwrap();
        assert_eq!(client.protocol_version(), version);
        assert_eq!(client.server_info().unwrap().version, "3");
        let mut seen = 0;
        let call = client.call_tool("count", json!({ "n": 5 })).on_progress(async |_| seen += 1);
        assert_eq!(call.await.unwrap().text(), "5");
        assert_eq!(seen, 5);
        assert_eq!(client.list_tools().await.unwrap().len(), 3);
    }
    let old = counter().protocol_versions([ProtocolVersion::V2025_06_18]);
    assert_eq!(Client::connect(old).await.unwrap().protocol_version(), ProtocolVersion::V2025_06_18);
    let client = Client::builder().protocol_versions([ProtocolVersion::V2026_07_28]);
    let old = counter().protocol_versions([ProtocolVersion::V2025_06_18]);
    assert!(matches!(client.connect(old).await, Err(ConnectError::NoCommonVersion { .. })));
}

// ---- Giving up -----------------------------------------------------------------------------------------------------

// rows: CANC-1, CANC-2, CANC-8, STDIO-9
#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_cancelled_once() {
    let (client, mut fake) = modern().await;
    let start = Instant::now();
    let error = client.call_tool("x", json!({})).timeout(Duration::from_millis(100)).await.unwrap_err();
    assert_eq!(start.elapsed(), Duration::from_millis(100));
    assert_eq!(error.to_string(), "no answer within 100ms");
    let call = fake.expect("tools/call").await;
    let cancelled = fake.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"], json!({ "requestId": call["id"], "reason": "no answer within 100ms" }));
    // The answer crosses the cancellation.
    fake.write(&(report(&call["id"], 1) + "\n" + &text_result(&call["id"], "late") + "\n")).await;
    fake.answers_a_call(&client).await;
    client.close().await;
    assert_eq!(fake.read().await, None);
}

// rows: CANC-1, CANC-2, CANC-5
#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_is_cancelled_once() {
    let (client, mut fake) = modern().await;
    tokio::select! {
        _ = client.call_tool("x", json!({})).on_progress(async |_| {}).into_future() => panic!("nobody has answered"),
        () = tokio::time::sleep(Duration::from_millis(50)) => {}
    }
    let call = fake.expect("tools/call").await;
    assert_eq!(fake.expect("notifications/cancelled").await["params"], json!({ "requestId": call["id"] }));

    // The same with a stream, half way.
    let mut stream = client.call_tool("x", json!({})).progress_stream();
    let serve = async {
        let call = fake.expect("tools/call").await;
        fake.write(&(report(&call["id"], 1) + "\n")).await;
        call
    };
    let (report, call) = tokio::join!(stream.next(), serve);
    assert!(report.is_some());
    drop(stream);
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], call["id"]);

    // A call that was never polled is no call.
    drop(client.call_tool("x", json!({})));
    drop(client.call_tool("x", json!({})).into_future());
    fake.answers_a_call(&client).await;
}

// rows: PROG-9, CANC-8
#[tokio::test(start_paused = true)]
async fn progress_starts_the_time_anew_up_to_a_maximum() {
    let (client, mut fake) = modern().await;
    let start = Instant::now();
    let call = client
        .call_tool("x", json!({}))
        .timeout(Duration::from_millis(300))
        .reset_timeout_on_progress()
        .max_timeout(Duration::from_secs(1));
    let serve = async {
        let call = fake.expect("tools/call").await;
        let token = &call["params"]["_meta"]["progressToken"];
        for done in 1..=20 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            fake.write(&(report(token, done) + "\n")).await;
        }
    };
    let (error, ()) = tokio::join!(
        async {
            let error = call.await.unwrap_err();
            assert_eq!(start.elapsed(), Duration::from_secs(1));
            error
        },
        serve
    );
    assert_eq!(error.to_string(), "no answer within 1s");
    assert_eq!(fake.expect("notifications/cancelled").await["params"]["reason"], "no answer within 1s");

    // Without a report the first limit holds.
    let start = Instant::now();
    let call = client.call_tool("x", json!({})).timeout(Duration::from_millis(300)).reset_timeout_on_progress();
    assert_eq!(call.await.unwrap_err().to_string(), "no progress and no answer within 300ms");
    assert_eq!(start.elapsed(), Duration::from_millis(300));
}

// rows: CANC-8
#[tokio::test(start_paused = true)]
async fn every_request_has_a_limit_unless_it_is_taken_away() {
    let (client, _fake) = modern().await;
    let start = Instant::now();
    assert!(matches!(client.list_tools().await, Err(CallError::Timeout { .. })));
    assert!(matches!(client.call_tool("x", json!({})).await, Err(CallError::Timeout { .. })));
    assert_eq!(start.elapsed(), Duration::from_secs(120));
    let unlimited = client.call_tool("x", json!({})).timeout(None).into_future();
    assert!(tokio::time::timeout(Duration::from_secs(1_000_000), unlimited).await.is_err());

    let builder = Client::builder().request_timeout(Duration::from_secs(1));
    let (client, _fake) = connect(builder, async |fake| fake.discover().await).await;
    let start = Instant::now();
    assert!(client.unwrap().list_tools().await.is_err());
    assert_eq!(start.elapsed(), Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn the_server_is_told_in_time_while_the_callback_is_busy() {
    let (client, mut fake) = modern().await;
    let start = Instant::now();
    let mut finished = false;
    let call = client
        .call_tool("x", json!({}))
        .on_progress(async |_| {
            tokio::time::sleep(Duration::from_secs(10)).await;
            finished = true;
        })
        .timeout(Duration::from_secs(1));
    let serve = async {
        let call = fake.expect("tools/call").await;
        fake.write(&(report(&call["id"], 1) + "\n" + &report(&call["id"], 2) + "\n")).await;
        fake.expect("notifications/cancelled").await;
        start.elapsed()
    };
    let (result, told) = tokio::join!(call.into_future(), serve);
    assert_eq!(told, Duration::from_secs(1));
    // The callback was not dropped half way.
    assert_eq!(start.elapsed(), Duration::from_secs(10));
    assert!(finished && matches!(result, Err(CallError::Timeout { .. })));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_came_in_time_counts_although_the_callback_was_slow() {
    let (client, mut fake) = modern().await;
    let mut seen = 0;
    let call = client.call_tool("x", json!({})).timeout(Duration::from_secs(1)).on_progress(async |_| {
        tokio::time::sleep(Duration::from_secs(10)).await;
        seen += 1;
    });
    let serve = async {
        let call = fake.expect("tools/call").await;
        let id = &call["id"];
        fake.write(&(report(id, 1) + "\n" + &report(id, 2) + "\n" + &text_result(id, "ok") + "\n")).await;
    };
    let (result, ()) = tokio::join!(call.into_future(), serve);
    assert_eq!(result.unwrap().text(), "ok");
    assert_eq!(seen, 2);
}

/// Its drop is seen.
struct Guard(Option<oneshot::Sender<()>>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.take().map(|sender| sender.send(()));
    }
}

struct Room(Mutex<Option<Guard>>, Arc<Notify>);

#[server]
impl Room {
    /// Hold a guard for ever.
    #[tool]
    async fn hold(&self) -> String {
        let _guard = self.0.lock().unwrap().take();
        self.1.notify_one();
        std::future::pending::<Infallible>().await;
        String::new()
    }
}

// rows: CANC-1
#[tokio::test]
async fn a_tool_ends_with_the_call_that_is_dropped_and_with_the_client() {
    for whole_client in [false, true] {
        let (sender, dropped) = oneshot::channel();
        let holding = Arc::new(Notify::new());
        let room = Room(Mutex::new(Some(Guard(Some(sender)))), Arc::clone(&holding));
        let client = Arc::new(Client::connect(Server::new("room").with(room)).await.unwrap());
        let calling = tokio::spawn({
            let client = Arc::clone(&client);
            async move { client.call_tool("hold", json!({})).await }
        });
        holding.notified().await;
        if whole_client {
            calling.abort();
            assert!(calling.await.unwrap_err().is_cancelled());
            drop(client);
            dropped.await.unwrap();
        } else {
            calling.abort();
            dropped.await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn closing_does_not_wait_for_a_server_that_hangs() {
    let client = Client::connect(counter()).await.unwrap();
    let start = Instant::now();
    client.close().await;
    assert_eq!(start.elapsed(), Duration::ZERO);

    let client = Arc::new(Client::connect(counter()).await.unwrap());
    let calling = tokio::spawn({
        let client = Arc::clone(&client);
        async move { client.call_tool("hang", json!({})).await }
    });
    tokio::task::yield_now().await;
    calling.abort();
    let _ = calling.await;
    let client = Arc::into_inner(client).unwrap();
    client.close().await;

    // A peer that keeps its side open.
    let (client, _fake) = modern().await;
    let start = Instant::now();
    client.close().await;
    assert_eq!(start.elapsed(), Duration::from_secs(2));
}

// ---- What is sent --------------------------------------------------------------------------------------------------

// rows: META-8, META-9, TOOL-12
#[tokio::test]
async fn arguments_are_an_object_or_nothing_is_sent() {
    let (client, mut fake) = modern().await;
    for (arguments, is) in [(json!(null), "`null`"), (json!([1]), "`[1]`"), (json!("x"), "`\"x\"`"), (json!(7), "`7`")]
    {
        let error = client.call_tool("x", arguments).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the arguments must be a JSON object: they are {is}"));
    }
    let no_key = std::collections::HashMap::from([(vec![1], 2)]);
    assert!(matches!(client.call_tool("x", no_key).await, Err(CallError::InvalidArguments { .. })));
    let error = client.call_tool("x", json!({})).meta("progressToken", 7).await.unwrap_err();
    assert_eq!(error.to_string(), "the `_meta` key `progressToken` can't be set: it is set by the client itself");
    fake.answers_a_call(&client).await;
}

#[tokio::test]
async fn a_name_of_any_characters_arrives_as_it_is() {
    let (client, mut fake) = modern().await;
    let (result, call) = tokio::join!(
        client.call_tool("a\"b\\c\nd é", json!({ "text": "line\nline" })).into_future(),
        fake.answer("tools/call", r#"{"content":[]}"#)
    );
    result.unwrap();
    assert_eq!(call["params"]["name"], "a\"b\\c\nd é");
    assert_eq!(call["params"]["arguments"]["text"], "line\nline");
}

#[tokio::test]
async fn a_request_that_does_not_fit_waits_and_is_not_cancelled_when_dropped() {
    let (client, mut fake) = modern().await;
    let big = json!({ "text": "a".repeat(200_000) });
    let mut first = pin!(client.call_tool("first", &big).into_future());
    let mut second = pin!(Some(client.call_tool("second", &big).into_future()));
    let mut third = pin!(Some(client.call_tool("third", json!({})).into_future()));
    // Nobody reads: the first is being written, the second fills the queue, and the third finds no room.
    for _ in 0..10 {
        tokio::select! {
            biased;
            _ = &mut first => panic!(),
            _ = async { second.as_mut().as_pin_mut().unwrap().await } => panic!(),
            _ = async { third.as_mut().as_pin_mut().unwrap().await } => panic!(),
            () = tokio::task::yield_now() => {}
        }
    }
    third.set(None);
    second.set(None);
    let serve = async {
        let first = fake.expect("tools/call").await;
        assert_eq!(first["params"]["name"], "first");
        let second = fake.expect("tools/call").await;
        assert_eq!(second["params"]["name"], "second");
        assert_eq!(fake.expect("notifications/cancelled").await["params"]["requestId"], second["id"]);
        fake.write(&(text_result(&first["id"], "ok") + "\n")).await;
    };
    let (result, ()) = tokio::join!(first, serve);
    assert_eq!(result.unwrap().text(), "ok");
    fake.answers_a_call(&client).await;
}

// rows: LIFE-7, META-1
#[tokio::test]
async fn what_the_client_can_do_is_told_in_both_eras() {
    let capabilities =
        json!({ "elicitation": { "form": {} }, "extensions": { "com.example/x": {} }, "novel": { "a": 1 } });
    let builder = || Client::builder().capabilities(serde_json::from_value(capabilities.clone()).unwrap());
    let (_client, fake) = connect(builder(), async |fake| fake.discover().await).await;
    assert_eq!(fake.seen[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"], capabilities);
    let (_client, fake) = connect(builder(), async |fake| {
        fake.refuse_probe().await;
        fake.handshake("2025-11-25").await;
    })
    .await;
    assert_eq!(fake.seen[1]["params"]["capabilities"], capabilities);
}

// rows: CANC-5
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_can_be_dropped_at_any_moment() {
    let client = Arc::new(Client::connect(counter()).await.unwrap());
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let client = Arc::clone(&client);
            tokio::spawn(async move {
                for round in 0..200 {
                    let mut call = client.call_tool("count", json!({ "n": 3 })).progress_stream();
                    for _ in 0..(round + task) % 12 {
                        tokio::select! {
                            biased;
                            _ = call.next() => {}
                            () = tokio::task::yield_now() => {}
                        }
                    }
                    drop(call);
                    if round % 20 == 0 {
                        assert_eq!(client.call_tool("count", json!({ "n": 2 })).await.unwrap().text(), "2");
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(client.call_tool("count", json!({ "n": 2 })).await.unwrap().text(), "2");
}

// rows: CONT-1, CONT-2, CONT-3, CONT-4
#[tokio::test]
async fn blocks_of_each_kind_arrive_whole() {
    let (client, mut fake) = modern().await;
    let blocks = json!([
        { "type": "text", "text": "a", "annotations": { "audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-07-28T00:00:00Z" }, "_meta": { "x": 1 } },
        { "type": "image", "data": "AAAA", "mimeType": "image/png" },
        { "type": "audio", "data": "AAAA", "mimeType": "audio/wav" },
        { "type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "size": 3 },
        { "type": "resource", "resource": { "uri": "file:///a", "text": "t" }, "annotations": { "priority": 1.0 } },
        { "type": "resource", "resource": { "uri": "file:///b", "mimeType": "image/png", "blob": "AAAA" } },
        { "type": "hologram", "data": [1, { "a": null }] },
    ]);
    let result = json!({ "content": blocks, "structuredContent": null, "_meta": { "y": 2 } }).to_string();
    let result = fake.result(&client, &result).await.unwrap();
    assert_eq!(serde_json::to_value(&result.content).unwrap(), blocks);
    assert_eq!(result.structured::<Option<u8>>().unwrap(), None);
    assert_eq!(result.meta.unwrap()["y"], 2);
}
