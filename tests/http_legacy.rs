//! Streamable HTTP of the revisions with a handshake: sessions, streams that can be resumed, questions, batches.

mod support;

use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use mcp_server::prelude::*;
use mcp_server::protocol::{LoggingLevel, ProtocolVersion};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use support::http::{Ask, Connection, LONG, Site, report_of, run, text_of};
use support::tools;
use tokio::sync::Semaphore;

const ALL: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

// rows: LHTTP-1, LHTTP-2, LHTTP-5, LHTTP-9, LHTTP-10, LHTTP-20, ERA-1, ERA-3, ERA-5, LIFE-8
#[test]
fn a_session_begins_with_the_handshake_and_ends_with_delete() {
    run(async {
        let site = Site::open(tools::server()).await;
        for version in ALL {
            let id = site.session(version, json!({})).await;
            for header in [version, "2025-03-26"] {
                let ask = Ask::legacy(&id, 2, "tools/call", json!({ "name": "echo", "arguments": { "text": "hi" } }));
                // Headers of the other era mean nothing here.
                let ask =
                    ask.header("mcp-protocol-version", header).header("mcp-name", "add").header("mcp-method", "x");
                assert_eq!(text_of(&site.send(ask).await.json().await), "hi");
            }
            let ask = Ask::legacy(&id, 3, "tools/list", json!({}));
            assert_eq!(site.send(ask.clone().header("mcp-protocol-version", "2024-11-05")).await.status.as_u16(), 400);
            assert_eq!(site.send(ask.clone().header("mcp-protocol-version", "x")).await.status.as_u16(), 400);
            // Whatever is sent.
            let listen = Ask::new("GET").header("accept", "text/event-stream").session(&id);
            let told = Ask::post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).session(&id);
            for ask in [listen, told, Ask::new("DELETE").session(&id)] {
                assert_eq!(site.send(ask.header("mcp-protocol-version", "x")).await.status.as_u16(), 400);
            }
            // A stateless request beside it.
            let modern = Ask::call(4, "echo", json!({ "text": "new" })).session(&id);
            assert_eq!(text_of(&site.send(modern).await.json().await), "new");
            // An unknown method is one for the client to read.
            let answer = site.send(Ask::legacy(&id, 5, "x/y", json!({}))).await;
            assert_eq!((answer.status.as_u16(), answer.error().await.0), (200, -32601));
            let again = site.send(Ask::initialize(version, json!({})).session(&id)).await;
            assert_eq!((again.status.as_u16(), again.error().await.0), (400, -32600));

            let answer = site.send(Ask::new("DELETE").session(&id)).await;
            assert_eq!(answer.status, StatusCode::OK);
            assert_eq!(site.send(ask).await.status.as_u16(), 404);
            assert_eq!(site.send(Ask::new("DELETE").session(&id)).await.status.as_u16(), 404);
        }
        site.close().await;
    });
}

// rows: LHTTP-3, LHTTP-5
#[test]
fn an_unknown_session_is_not_found_and_a_missing_one_a_bad_request() {
    run(async {
        let site = Site::open(tools::server()).await;
        let list = |ask: Ask| ask.header("accept", "text/event-stream");
        for (ask, status) in [
            (Ask::legacy("nope", 1, "tools/list", json!({})), 404),
            (list(Ask::new("GET")).session("nope"), 404),
            (Ask::new("DELETE").session("nope"), 404),
            (Ask::post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).session("nope"), 404),
            (Ask::post(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} })).session("nope"), 404),
            (Ask::post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })), 400),
            (Ask::post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })), 400),
            (list(Ask::new("GET")), 400),
            (Ask::new("DELETE"), 400),
            (Ask::post(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} })), 400),
            (Ask::initialize("2025-11-25", json!({})).session("nope"), 200),
        ] {
            let answer = site.send(ask.clone()).await;
            assert_eq!(answer.status.as_u16(), status, "{ask:?}");
            assert_eq!(answer.header("mcp-session-id").is_some(), status == 200);
        }
        site.close().await;
    });
}

// rows: LIFE-2, ERA-9, HTTP-21
#[test]
fn a_revision_of_another_transport_is_answered_with_the_latest() {
    run(async {
        let site = Site::open(tools::server()).await;
        for (asked, agreed) in [
            ("2025-03-26", "2025-03-26"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2024-11-05", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("x", "2025-11-25"),
        ] {
            let answer =
                site.send(Ask::initialize(asked, json!({})).header("mcp-protocol-version", "2025-11-25")).await;
            assert_eq!(answer.json().await["result"]["protocolVersion"], agreed, "{asked}");
        }
        site.close().await;
    });
}

// rows: ERA-6, VER-4
#[test]
fn a_server_of_stateless_requests_alone_says_so() {
    run(async {
        let site = Site::open(tools::server().protocol_versions([ProtocolVersion::LATEST])).await;
        let answer = site.send(Ask::initialize("2025-11-25", json!({}))).await;
        assert_eq!(answer.status.as_u16(), 400);
        assert_eq!(answer.json().await["error"]["data"]["supported"], json!(["2026-07-28"]));
        let answer = site.send(Ask::post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }))).await;
        assert_eq!((answer.status.as_u16(), answer.error().await.0), (400, -32020));
        site.close().await;
        // And the other way round: an older server knows nothing of stateless requests.
        let site = Site::open(tools::server().protocol_versions([ProtocolVersion::V2025_11_25])).await;
        let answer = site.send(Ask::modern(1, "server/discover", json!({}))).await;
        assert_eq!((answer.status.as_u16(), answer.error().await.0), (400, -32600));
        let id = site.session("2025-11-25", json!({})).await;
        assert_eq!(
            text_of(&site.send(Ask::legacy_call(&id, 1, "echo", json!({ "text": "hi" }))).await.json().await),
            "hi"
        );
        site.close().await;
    });
}

// rows: LHTTP-11, LHTTP-15, LHTTP-16, PROG-6
#[test]
fn a_call_streams_its_reports_and_its_response() {
    run(async {
        let site = Site::open(tools::server()).await;
        for version in ALL {
            for ms in [0, 1] {
                let id = site.session(version, json!({})).await;
                let ask = Ask::legacy_call(&id, 2, "count", json!({ "n": 3, "ms": ms }));
                let mut answer = site.send(ask.clone()).await;
                assert_eq!(answer.header("x-accel-buffering"), Some("no"));
                let mut ids = Vec::new();
                if version == "2025-11-25" {
                    let event = answer.event().await.unwrap();
                    assert_eq!(event.data.as_deref(), Some(""));
                    ids.extend(event.id);
                }
                for done in 1..=3 {
                    let event = answer.event().await.unwrap();
                    assert_eq!(report_of(&event.message()), (json!("token 2"), json!(done)));
                    ids.extend(event.id);
                }
                let event = answer.event().await.unwrap();
                assert_eq!(text_of(&event.message()), "3");
                ids.extend(event.id);
                assert!(answer.event().await.is_none());
                let wanted: &[&str] = if version == "2025-11-25" { &["1-0", "1-1", "1-2", "1-3", "1-4"] } else { &[] };
                assert_eq!(ids, wanted, "{version}");
                let answer = site.send(ask.with("accept", "application/json")).await;
                assert_eq!(text_of(&answer.json().await), "3");
            }
        }
        site.close().await;
    });
}

/// A tool that goes on when it is told.
fn steps(go: &Arc<Semaphore>) -> Server {
    /// Report each step, of which somebody says when it may be taken.
    #[tool]
    async fn step_by_step(steps: u32, ctx: Context, go: State<Arc<Semaphore>>) -> Result<u32, ToolError> {
        for done in 1..=steps {
            ctx.report_progress(done, steps, None).await?;
            go.acquire().await?.forget();
        }
        Ok(steps)
    }

    /// The same, without holding the connection.
    #[tool]
    async fn come_back(reports: u8, ctx: Context, go: State<Arc<Semaphore>>) -> Result<bool, ToolError> {
        if reports == 2 {
            ctx.report_progress(1, None, None).await?;
        }
        let away = ctx.reconnect_after(Duration::from_millis(20)).await;
        go.acquire().await?.forget();
        ctx.report_progress(2, None, None).await?;
        Ok(away)
    }

    Server::new("steps").tool(step_by_step).tool(come_back).state(Arc::clone(go))
}

fn resume(session: &str, last: &str) -> Ask {
    Ask::new("GET").header("accept", "text/event-stream").session(session).header("last-event-id", last)
}

// rows: LHTTP-12, LHTTP-14, LHTTP-15, CANC-3
#[test]
fn a_call_goes_on_when_its_connection_breaks_and_can_be_heard_to_the_end() {
    run(async {
        let go = Arc::new(Semaphore::new(0));
        let site = Site::open(steps(&go)).await;
        let id = site.session("2025-11-25", json!({})).await;
        let mut answer = site.send(Ask::legacy_call(&id, 2, "step_by_step", json!({ "steps": 4 }))).await;
        let priming = answer.event().await.unwrap().id.unwrap();
        let first = answer.event().await.unwrap().id.unwrap();
        // Another stream of the session, whose events are none of this one.
        let mut other = site.send(Ask::legacy_call(&id, 3, "step_by_step", json!({ "steps": 1 }))).await;
        other.message().await.unwrap();
        drop(answer);
        go.add_permits(2);
        let mut resumed = site.send(resume(&id, &first)).await;
        assert_eq!(report_of(&resumed.message().await.unwrap()).1, json!(2));
        // One more takes over, and hears all of it.
        let mut again = site.send(resume(&id, &priming)).await;
        for done in 1..=2 {
            assert_eq!(report_of(&again.message().await.unwrap()).1, json!(done));
        }
        while resumed.event().await.is_some() {}
        go.add_permits(3);
        let messages = again.messages().await;
        assert_eq!(text_of(messages.last().unwrap()), "4");
        assert!(messages.iter().all(|message| message["id"] != 3));
        // Even after its end.
        let messages = site.send(resume(&id, &first)).await.messages().await;
        assert_eq!(messages.len(), 4);
        assert_eq!(text_of(&other.messages().await[0]), "1");
        for unknown in ["99-1", "x", ""] {
            let answer = site.send(resume(&id, unknown)).await;
            assert_eq!(answer.status.as_u16(), 400, "{unknown}");
        }
        // Of another session it is nobody's.
        let stranger = site.session("2025-11-25", json!({})).await;
        assert_eq!(site.send(resume(&stranger, &first)).await.status.as_u16(), 400);
        site.close().await;
    });
}

// rows: LHTTP-17
#[test]
fn a_client_can_be_sent_away_and_comes_back_for_the_rest() {
    run(async {
        let go = Arc::new(Semaphore::new(0));
        let site = Site::open(steps(&go)).await;
        let id = site.session("2025-11-25", json!({})).await;
        for sent in [1, 2] {
            let ask = Ask::legacy_call(&id, sent, "come_back", json!({ "reports": sent }));
            let mut answer = site.send(ask).await;
            let (mut last, mut retry, mut reports) = (None, None, 0);
            while let Some(event) = answer.event().await {
                reports += usize::from(event.data.is_some_and(|data| !data.is_empty()));
                last = event.id.or(last);
                retry = event.retry.or(retry);
            }
            assert_eq!((retry, reports), (Some(20), sent - 1));
            go.add_permits(1);
            let messages = site.send(resume(&id, &last.unwrap())).await.messages().await;
            assert_eq!(report_of(&messages[0]).1, json!(2));
            assert_eq!(text_of(&messages[1]), "true");
        }
        // Who could not come back is not sent away.
        go.add_permits(2);
        let old = site.session("2025-06-18", json!({})).await;
        let messages =
            site.send(Ask::legacy_call(&old, 2, "come_back", json!({ "reports": 2 }))).await.messages().await;
        assert_eq!(text_of(messages.last().unwrap()), "false");
        let messages = site.send(Ask::call(2, "come_back", json!({ "reports": 2 }))).await.messages().await;
        assert_eq!(text_of(messages.last().unwrap()), "false");
        site.close().await;
    });
}

// rows: CANC-1, CANC-2, LHTTP-12
#[test]
fn a_call_is_cancelled_by_a_notification() {
    run(async {
        let site = Site::open(tools::server()).await;
        for version in ALL {
            let id = site.session(version, json!({})).await;
            let before = site.send(Ask::legacy_call(&id, 1, "dropped", json!({}))).await.json().await;
            let before: u32 = text_of(&before).parse().unwrap();
            let mut running = site.send(Ask::legacy_call(&id, 7, "hang", json!({}))).await;
            running.message().await.unwrap();
            let json = Connection::open(site.address).await;
            let waiting = Ask::legacy_call(&id, 8, "hang", json!({})).with("accept", "application/json");
            let waiting = tokio::spawn(json.send(waiting));
            // The id of a call that runs is taken.
            let twice = site.send(Ask::legacy_call(&id, 7, "echo", json!({ "text": "hi" }))).await;
            assert_eq!((twice.status.as_u16(), twice.error().await.0), (400, -32600));
            // One that is silent is cancelled as well, where the client takes no events.
            let silent = Connection::open(site.address).await;
            let ask = Ask::legacy_call(&id, 9, "sleep", json!({ "ms": 600_000 })).with("accept", "application/json");
            let silent = tokio::spawn(silent.send(ask));
            let cancel = |request: u32| {
                let params = json!({ "requestId": request });
                Ask::post(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
                    .session(&id)
            };
            // One of the other era means nothing to a session.
            let other = cancel(7).header("mcp-protocol-version", "2026-07-28");
            assert_eq!(site.send(other).await.status, StatusCode::ACCEPTED);
            let other = cancel(7).header("mcp-protocol-version", "2026-07-28").with("mcp-session-id", "nope");
            assert_eq!(site.send(other).await.status, StatusCode::ACCEPTED);
            assert_eq!(site.send(Ask::legacy_call(&id, 7, "now", json!({}))).await.error().await.0, -32600);
            assert_eq!(site.send(cancel(7)).await.status, StatusCode::ACCEPTED);
            assert!(running.messages().await.is_empty(), "nothing of the call follows");
            // It may not have begun yet.
            while !waiting.is_finished() {
                assert_eq!(site.send(cancel(8)).await.status, StatusCode::ACCEPTED);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            while !silent.is_finished() {
                assert_eq!(site.send(cancel(9)).await.status, StatusCode::ACCEPTED);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            for cancelled in [waiting, silent] {
                let answer = cancelled.await.unwrap().unwrap();
                assert_eq!((answer.status, answer.text().await.as_str()), (StatusCode::NO_CONTENT, ""));
            }
            loop {
                let now = site.send(Ask::legacy_call(&id, 1, "dropped", json!({}))).await.json().await;
                if text_of(&now).parse::<u32>().unwrap() == before + 4 {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        site.close().await;
    });
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// Why
    reason: String,
}

/// A tool that asks.
fn asking() -> Server {
    /// Give the money back.
    #[tool]
    async fn refund(ctx: Context) -> Result<String, ToolError> {
        ctx.report_progress(1, None, None).await?;
        match ctx.elicit::<Confirmation>("Sure?").await? {
            Elicited::Accept(Confirmation { reason }) => Ok(format!("refunded ({reason})")),
            Elicited::Decline | Elicited::Cancel => Ok("not refunded".into()),
        }
    }

    Server::new("asking").tool(refund)
}

// rows: LHTTP-10, LHTTP-11, LHTTP-14, LEG-6
#[test]
fn a_question_goes_out_on_the_stream_of_its_call_and_the_answer_is_posted() {
    run(async {
        let site = Site::open(asking()).await;
        for version in ["2025-06-18", "2025-11-25"] {
            let id = site.session(version, json!({ "elicitation": {} })).await;
            let mut listening = site.send(Ask::new("GET").header("accept", "text/event-stream").session(&id)).await;
            let mut call = site.send(Ask::legacy_call(&id, 2, "refund", json!({}))).await;
            assert_eq!(report_of(&call.message().await.unwrap()).1, json!(1));
            let question = call.message().await.unwrap();
            assert_eq!(question["method"], "elicitation/create");
            let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": {
                "action": "accept", "content": { "reason": "broken" }
            } });
            let answer = site.send(Ask::post(&reply).session(&id)).await;
            assert_eq!((answer.status, answer.text().await.as_str()), (StatusCode::ACCEPTED, ""));
            assert_eq!(text_of(&call.messages().await[0]), "refunded (broken)");
            // One that nobody waits for is no fault.
            assert_eq!(site.send(Ask::post(&reply).session(&id)).await.status, StatusCode::ACCEPTED);
            // Where nothing can be asked, the tool learns it.
            let ask = Ask::legacy_call(&id, 3, "refund", json!({})).with("accept", "application/json");
            let refused = site.send(ask).await.json().await;
            assert_eq!(refused["result"]["isError"], true, "{refused}");
            site.send(Ask::new("DELETE").session(&id)).await;
            assert_eq!(listening.message().await, None, "nothing of it came here");
        }
        site.close().await;
    });
}

// rows: LHTTP-13, LHTTP-14, LEG-4, LEG-5
#[test]
fn changes_are_told_once_on_one_of_the_streams() {
    run(async {
        let server = tools::server();
        let handle = server.handle();
        let site = Site::open(server).await;
        for version in ALL {
            let id = site.session(version, json!({})).await;
            let listen = || Ask::new("GET").header("accept", "text/event-stream").session(&id);
            assert_eq!(site.send(listen().with("accept", "application/json")).await.status.as_u16(), 406);
            let (mut first, mut second) = (site.send(listen()).await, site.send(listen()).await);
            if version == "2025-11-25" {
                assert!(first.event().await.unwrap().id.is_some());
                second.event().await.unwrap();
            }
            handle.enable_tool("now", false);
            let told = tokio::select! {
                told = first.message() => told,
                told = second.message() => told,
            };
            assert_eq!(told.unwrap()["method"], "notifications/tools/list_changed");
            handle.enable_tool("now", true);
            let told = tokio::select! {
                told = first.message() => told,
                told = second.message() => told,
            };
            assert_eq!(told.unwrap()["method"], "notifications/tools/list_changed");
            site.send(Ask::new("DELETE").session(&id)).await;
            assert_eq!((first.message().await, second.message().await), (None, None));
        }
        site.close().await;
    });
}

// rows: LEG-2, LHTTP-10
#[test]
fn several_messages_come_in_one_where_the_revision_has_it() {
    run(async {
        let site = Site::open(tools::server()).await;
        let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        let notification =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 9 } });
        let call = |id: u32, n: u32| {
            let params = json!({ "name": "count", "arguments": { "n": n, "ms": 1 }, "_meta": { "progressToken": id } });
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
        };
        let id = site.session("2025-03-26", json!({})).await;
        let send = |batch: Value| Ask::post(&batch).session(&id);
        let answers = site.send(send(json!([ping(1), notification, ping(2)]))).await.json().await;
        assert_eq!(
            answers,
            json!([{ "jsonrpc": "2.0", "id": 1, "result": {} }, { "jsonrpc": "2.0", "id": 2, "result": {} }])
        );
        let mut messages = site.send(send(json!([call(3, 2), ping(4), call(5, 1)]))).await.messages().await;
        let Value::Array(answers) = messages.pop().unwrap() else { panic!("the last message is the array") };
        let mut ids: Vec<_> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!((ids, messages.len()), (vec![3, 4, 5], 3));
        assert_eq!(site.send(send(json!([notification]))).await.status, StatusCode::ACCEPTED);
        // A call that is cancelled by what stands behind it owes nothing.
        let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 6 } });
        let answers = site.send(send(json!([call(6, 1_000), cancelled, ping(7)]))).await.messages().await;
        assert_eq!(answers, [json!([{ "jsonrpc": "2.0", "id": 7, "result": {} }])]);
        let initialize = json!({ "jsonrpc": "2.0", "id": 6, "method": "initialize", "params": {} });
        let answers = site.send(send(json!([initialize, ping(7), 5, call(8, 1), call(8, 1)]))).await.messages().await;
        let Value::Array(answers) = answers.into_iter().next_back().unwrap() else { panic!("an array") };
        let codes: Vec<_> =
            answers.iter().map(|answer| (answer["id"].as_i64(), answer["error"]["code"].as_i64())).collect();
        assert_eq!(
            codes,
            [(Some(6), Some(-32600)), (Some(7), None), (None, Some(-32600)), (Some(8), Some(-32600)), (Some(8), None)]
        );
        assert_eq!(site.send(send(json!([]))).await.error().await.0, -32600);
        for version in ["2025-06-18", "2025-11-25"] {
            let id = site.session(version, json!({})).await;
            let answer = site.send(Ask::post(&json!([ping(1)])).session(&id)).await;
            assert_eq!((answer.status.as_u16(), answer.error().await.0), (400, -32600));
        }
        site.close().await;
    });
}

// rows: LHTTP-19, LHTTP-9
#[test]
fn without_sessions_each_request_stands_alone() {
    run(async {
        let site = Site::of(asking().tool(structured).http().stateless()).await;
        let answer = site.send(Ask::initialize("2025-06-18", json!({ "elicitation": {} }))).await;
        assert_eq!((answer.status.as_u16(), answer.header("mcp-session-id")), (200, None));
        assert_eq!(answer.json().await["result"]["protocolVersion"], "2025-06-18");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(site.send(Ask::post(&initialized)).await.status, StatusCode::ACCEPTED);
        let call = |name: &str| {
            let params = json!({ "name": name, "arguments": {}, "_meta": { "progressToken": 1 } });
            Ask::post(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }))
        };
        // The version comes from the header; without one it is 2025-03-26, which has no structured results.
        for (version, has_structure) in [(None, false), (Some("2025-03-26"), false), (Some("2025-06-18"), true)] {
            let ask = version
                .into_iter()
                .fold(call("structured"), |ask, version| ask.header("mcp-protocol-version", version));
            let response = site.send(ask).await.json().await;
            assert_eq!(response["result"]["structuredContent"].is_object(), has_structure, "{version:?}");
        }
        assert_eq!(
            site.send(call("structured").header("mcp-protocol-version", "2024-11-05")).await.status.as_u16(),
            400
        );
        // Reports come; questions can't be asked.
        let messages = site.send(call("refund").header("mcp-protocol-version", "2025-11-25")).await.messages().await;
        assert_eq!(report_of(&messages[0]).1, json!(1));
        assert_eq!(messages[1]["result"]["isError"], true);
        for method in ["GET", "DELETE"] {
            let answer = site.send(Ask::new(method).header("accept", "text/event-stream")).await;
            assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, Some("POST")));
        }
        site.close().await;
    });
}

#[derive(serde::Serialize, JsonSchema)]
struct Point {
    x: u8,
}

/// A point.
#[tool]
async fn structured() -> Json<Point> {
    Json(Point { x: 1 })
}

// rows: LHTTP-19, ERA-6
#[test]
fn without_sessions_nothing_is_promised_that_takes_one() {
    run(async {
        let versions = [ProtocolVersion::V2025_11_25, ProtocolVersion::LATEST];
        let server = tools::server().protocol_versions(versions);
        let _handle = server.handle();
        let site = Site::of(server.http().stateless()).await;
        let answer = site.send(Ask::initialize("2025-11-25", json!({}))).await;
        assert_eq!(answer.json().await["result"]["capabilities"], json!({ "tools": {} }));
        // The version that a request without one would have is not served.
        let list = Ask::post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        assert_eq!(site.send(list.clone()).await.status.as_u16(), 400);
        assert_eq!(site.send(list.header("mcp-protocol-version", "2025-11-25")).await.status.as_u16(), 200);
        site.close().await;
    });
}

// rows: LOG-1
#[test]
fn the_level_of_a_session_is_that_of_all_its_requests() {
    /// Say something.
    #[tool]
    async fn say(ctx: Context) -> Result<(), ToolError> {
        ctx.log(LoggingLevel::Info, "hello").await?;
        Ok(())
    }

    run(async {
        let site = Site::open(Server::new("talk").logging().tool(say)).await;
        let id = site.session("2025-11-25", json!({})).await;
        let level = Ask::legacy(&id, 2, "logging/setLevel", json!({ "level": "info" }));
        assert_eq!(site.send(level.with("accept", "application/json")).await.status.as_u16(), 200);
        let messages = site.send(Ask::legacy_call(&id, 3, "say", json!({}))).await.messages().await;
        assert_eq!(messages[0]["method"], "notifications/message");
        site.close().await;
    });
}

#[test]
fn a_client_that_says_too_much_about_itself_gets_no_session() {
    run(async {
        let site = Site::open(tools::server()).await;
        let answer =
            site.send(Ask::initialize("2025-11-25", json!({ "experimental": { "x": "x".repeat(70_000) } }))).await;
        assert_eq!(answer.header("mcp-session-id"), None);
        let text = "`params.clientInfo` and `params.capabilities` are longer than the limit of 65536 bytes";
        assert_eq!(answer.error().await, (-32602, text.into()));
        site.close().await;
    });
}

// rows: LHTTP-15
#[test]
fn a_cancelled_call_leaves_no_stream_behind() {
    run(async {
        let site = Site::open(tools::server()).await;
        let id = site.session("2025-11-25", json!({})).await;
        let mut streams = Vec::new();
        for request in 0..20 {
            let mut running = site.send(Ask::legacy_call(&id, request, "hang", json!({}))).await;
            streams.push(running.event().await.unwrap().id.unwrap());
            running.event().await.unwrap();
            let params = json!({ "requestId": request });
            let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
            site.send(Ask::post(&cancel).session(&id)).await;
            while running.event().await.is_some() {}
        }
        // The latest are kept for a while, the others are not.
        assert_eq!(site.send(resume(&id, &streams[19])).await.status.as_u16(), 200);
        assert_eq!(site.send(resume(&id, &streams[0])).await.status.as_u16(), 400);
        site.close().await;
    });
}

// rows: LHTTP-5
#[test]
fn sessions_have_a_limit_and_end_when_nobody_uses_them() {
    run(async {
        let http = tools::server().http().max_sessions(2).session_idle(Duration::from_millis(300));
        let site = Site::of(http).await;
        let left = site.session("2025-11-25", json!({})).await;
        let used = site.session("2025-11-25", json!({})).await;
        let mut stream = site.send(Ask::new("GET").header("accept", "text/event-stream").session(&used)).await;
        stream.event().await.unwrap();
        let answer = site.send(Ask::initialize("2025-11-25", json!({}))).await;
        assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, Some("1")));
        assert_eq!(answer.error().await.1, "there are 2 sessions, which is the limit: try again later");
        // What runs in a session that nobody uses ends with it.
        let running = site.send(Ask::legacy_call(&left, 7, "hang", json!({}))).await;
        drop(running);
        let ended = async {
            loop {
                let status = site.send(Ask::initialize("2025-11-25", json!({}))).await.status.as_u16();
                if status == 200 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(LONG, ended).await.expect("the session is forgotten");
        assert_eq!(site.send(Ask::legacy(&left, 8, "ping", json!({}))).await.status.as_u16(), 404);
        assert_eq!(site.send(Ask::legacy(&used, 8, "ping", json!({}))).await.status.as_u16(), 200);
        let count = site.send(Ask::legacy_call(&used, 9, "dropped", json!({}))).await.json().await;
        assert_eq!(text_of(&count), "2");
        drop(stream);
        site.close().await;
    });
}

#[test]
fn streams_and_calls_of_sessions_end_in_good_order() {
    run(async {
        let mut site = Site::open(tools::server().drain_timeout(Duration::from_millis(500))).await;
        let id = site.session("2025-11-25", json!({})).await;
        let mut listening = site.send(Ask::new("GET").header("accept", "text/event-stream").session(&id)).await;
        listening.event().await.unwrap();
        let mut short = site.send(Ask::legacy_call(&id, 1, "count", json!({ "n": 3, "ms": 50 }))).await;
        short.message().await.unwrap();
        let mut long = site.send(Ask::legacy_call(&id, 2, "hang", json!({}))).await;
        long.message().await.unwrap();
        site.stop();
        assert_eq!(listening.message().await, None);
        assert_eq!(text_of(short.messages().await.last().unwrap()), "3");
        let last = long.messages().await.pop().unwrap();
        assert_eq!((&last["id"], &last["error"]["message"]), (&json!(2), &json!("the server is shutting down")));
        site.close().await;
    });
}
